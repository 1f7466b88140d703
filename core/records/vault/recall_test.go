package vault

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recall reports whether a value is found by its mark.
func (r *rig) recall(t testing.TB, tenant, typ, value string) bool {
	t.Helper()
	ten, err := r.openTenant(context.Background(), tenant, false)
	require.NoError(t, err)
	m, ok := ten.computeMark(typ, value)
	require.True(t, ok)
	e, sh := r.cache.lookupMark(ten, m)
	if e != nil {
		sh.mu.Unlock()
	}
	return e != nil
}

func TestAValueThatIsMintedAgainIsRecalled(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	assert.False(t, r.recall(t, "acme", "EMAIL", "a@example.com"), "one that came once takes no place")
	r.mint(t, alice, "EMAIL", "a@example.com")
	assert.True(t, r.recall(t, "acme", "EMAIL", "a@example.com"))

	assert.Equal(t, token, r.mint(t, alice, "EMAIL", "a@example.com"))
	assert.NotEqual(t, token, r.mint(t, alice, "EMAIL", "A@example.com"))
	assert.NotEqual(t, token, r.mint(t, alice, "MAIL", "a@example.com"))
	other := Scope{Tenant: "other", Key: "k1"}
	assert.NotEqual(t, token, r.mint(t, other, "EMAIL", "a@example.com"))
	assert.False(t, r.recall(t, "other", "EMAIL", "a@example.com"), "what one tenant has is not found for another")
}

func TestARecalledValueIsBoundToEachCaller(t *testing.T) {
	r := newRig(t, Options{})
	for range 2 {
		r.mint(t, alice, "EMAIL", "a@example.com")
	}
	require.True(t, r.recall(t, "acme", "EMAIL", "a@example.com"))
	bob := Scope{Tenant: "acme", Key: "k2", User: "bob"}
	token := r.mint(t, bob, "EMAIL", "a@example.com")
	value, ok := r.resolve(t, bob, token)
	assert.True(t, ok)
	assert.Equal(t, "a@example.com", value)
	_, ok = r.resolve(t, Scope{Tenant: "acme", Key: "k3"}, token)
	assert.False(t, ok)
}

func TestWhatIsShreddedIsNotRecalled(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	r.mint(t, alice, "EMAIL", "a@example.com")
	ten, err := r.openTenant(context.Background(), "acme", false)
	require.NoError(t, err)
	_, err = r.ShredTenant(context.Background(), "acme")
	require.NoError(t, err)
	for i := range r.cache.recent {
		e := r.cache.recent[i].Load()
		require.False(t, e != nil && e.of == ten, "nothing of the tenant stays in its place")
	}
	assert.NotEqual(t, token, r.mint(t, alice, "EMAIL", "a@example.com"))
	_, ok := r.resolve(t, alice, token)
	assert.False(t, ok)
}

func TestAnEntryThatMemoryHasLetGoIsNotRecalled(t *testing.T) {
	r := newRig(t, Options{Entries: 1})
	first := r.mint(t, alice, "EMAIL", "a@example.com")
	r.mint(t, alice, "EMAIL", "a@example.com")
	for i := range 20 * shards {
		r.mint(t, alice, "EMAIL", fmt.Sprintf("%d@example.com", i))
	}
	assert.False(t, r.recall(t, "acme", "EMAIL", "a@example.com"))
	assert.Equal(t, first, r.mint(t, alice, "EMAIL", "a@example.com"))
}

func TestAMarkIsThatOfTheExactTypeAndValue(t *testing.T) {
	r := newRig(t, Options{})
	r.mint(t, alice, "A", "b")
	ten, err := r.openTenant(context.Background(), "acme", false)
	require.NoError(t, err)
	seen := map[mark]string{}
	for _, c := range [][2]string{{"A", "b"}, {"AB", "c"}, {"A", "bc"}, {"A", ""}, {"A", "\x1f"}, {"A", strings.Repeat("b", markedLength-2)}} {
		m, ok := ten.computeMark(c[0], c[1])
		require.True(t, ok)
		assert.NotContains(t, seen, m, "%q", c)
		seen[m] = c[1]
	}
	_, ok := ten.computeMark("A", strings.Repeat("b", markedLength-1))
	assert.False(t, ok, "one that is too long has none")
	long := strings.Repeat("b", 10*markedLength)
	first := r.mint(t, alice, "A", long)
	assert.Equal(t, first, r.mint(t, alice, "A", long))
}

func TestValuesAreRecalledByManyAtOnce(t *testing.T) {
	r := newRig(t, Options{Entries: 2 * shards})
	var want [100]string
	value := func(i int) string { return fmt.Sprintf("%d@example.com", i) }
	for i := range want {
		want[i] = r.mint(t, alice, "EMAIL", value(i))
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 2000 {
				i := (n*7 + g) % len(want)
				token, err := r.Mint(context.Background(), alice, "EMAIL", value(i))
				if err != nil || token != want[i] {
					t.Error(token, err)
				}
			}
		})
	}
	all.Wait()
}
