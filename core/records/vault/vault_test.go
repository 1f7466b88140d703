package vault

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// rig is a vault on a database in its own folder, with a stopped clock.
type rig struct {
	*Vault
	mu   sync.Mutex
	time time.Time
	path string
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.time
}

func (r *rig) later(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.time = r.time.Add(d)
}

func newRig(t testing.TB, o Options) *rig {
	t.Helper()
	r := &rig{time: time.Now(), path: filepath.Join(t.TempDir(), "vault.db")}
	r.open(t, o)
	return r
}

// open starts the vault on the rig's database, as a process that starts would.
func (r *rig) open(t testing.TB, o Options) (stop func()) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+r.path)
	require.NoError(t, err)
	m, _, err := LoadMaster(ctx, db, "")
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{Wait: time.Minute})
	o.Clock = r.now
	r.Vault, err = New(db, w, m, o)
	require.NoError(t, err)
	stop = sync.OnceFunc(func() {
		assert.NoError(t, w.Close(ctx))
		assert.NoError(t, db.Close(ctx))
	})
	t.Cleanup(stop)
	return stop
}

func (r *rig) mint(t testing.TB, s Scope, typ, value string) string {
	t.Helper()
	token, err := r.Mint(context.Background(), s, typ, value)
	require.NoError(t, err)
	return token
}

func (r *rig) resolve(t testing.TB, s Scope, token string) (string, bool) {
	t.Helper()
	value, ok, err := r.Resolve(context.Background(), s, token)
	require.NoError(t, err)
	return value, ok
}

func (r *rig) sync(t testing.TB) {
	t.Helper()
	require.NoError(t, r.w.Sync(context.Background()))
}

var alice = Scope{Tenant: "acme", Key: "k1", User: "alice"}

func TestAValueHasOnePlaceholderAndComesBack(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	assert.Regexp(t, `^\{\{PII_EMAIL_[0-9a-f]{16}\}\}$`, token)
	assert.Equal(t, token, r.mint(t, alice, "EMAIL", "a@example.com"))
	assert.NotEqual(t, token, r.mint(t, alice, "EMAIL", "A@example.com"), "the exact bytes count")
	assert.NotEqual(t, token[len("{{PII_EMAIL"):], r.mint(t, alice, "PHONE", "a@example.com")[len("{{PII_PHONE"):], "so does the type")
	assert.NotEqual(t, token, r.mint(t, Scope{Tenant: "other", Key: "k1"}, "EMAIL", "a@example.com"), "and the tenant")
	value, ok := r.resolve(t, alice, token)
	assert.True(t, ok)
	assert.Equal(t, "a@example.com", value)
}

func TestAValueComesBackToItsOwnKeyOrUserOnly(t *testing.T) {
	for _, where := range []string{"from memory", "from the database"} {
		t.Run(where, func(t *testing.T) {
			r := newRig(t, Options{})
			token := r.mint(t, alice, "EMAIL", "a@example.com")
			nameless := r.mint(t, Scope{Tenant: "acme", Key: "k9"}, "EMAIL", "n@example.com")
			r.sync(t)
			if where == "from the database" {
				r.open(t, Options{})
			}
			for name, c := range map[string]struct {
				s  Scope
				ok bool
			}{
				"the same key and user":      {alice, true},
				"the same key":               {Scope{Tenant: "acme", Key: "k1"}, true},
				"the same key, another user": {Scope{Tenant: "acme", Key: "k1", User: "bob"}, true},
				"the same user":              {Scope{Tenant: "acme", Key: "k2", User: "alice"}, true},
				"the same user, no key":      {Scope{Tenant: "acme", User: "alice"}, true},
				"another key":                {Scope{Tenant: "acme", Key: "k2"}, false},
				"another key and user":       {Scope{Tenant: "acme", Key: "k2", User: "bob"}, false},
				"nobody":                     {Scope{Tenant: "acme"}, false},
				"a user named as the key":    {Scope{Tenant: "acme", User: "k1"}, false},
				"a key named as the user":    {Scope{Tenant: "acme", Key: "alice"}, false},
				"another tenant":             {Scope{Tenant: "other", Key: "k1", User: "alice"}, false},
				"no tenant":                  {Scope{Key: "k1"}, false},
			} {
				t.Run(name, func(t *testing.T) {
					value, ok, err := r.Resolve(context.Background(), c.s, token)
					if c.s.Tenant == "" {
						require.Error(t, err)
					} else {
						require.NoError(t, err)
					}
					assert.Equal(t, c.ok, ok)
					assert.Equal(t, c.ok, value == "a@example.com")
				})
			}
			_, ok := r.resolve(t, Scope{Tenant: "acme", Key: "k2", User: ""}, nameless)
			assert.False(t, ok, "no user is not the same user")
		})
	}
}

func TestASecondKeyThatBringsTheValueMayHaveItToo(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	second := Scope{Tenant: "acme", Key: "k2"}
	_, ok := r.resolve(t, second, token)
	assert.False(t, ok)
	assert.Equal(t, token, r.mint(t, second, "EMAIL", "a@example.com"))
	r.sync(t)
	r.open(t, Options{})
	for _, s := range []Scope{alice, second} {
		_, ok = r.resolve(t, s, token)
		assert.True(t, ok)
	}
}

func TestWhatIsNoPlaceholderStaysAsItIs(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	for _, text := range []string{
		"", "x", "{{PII_EMAIL_0123456789abcdef}}", token + " ", " " + token, token[:len(token)-1], token + token,
		strings.Replace(token, "EMAIL", "PHONE", 1), strings.ToUpper(token), "{{name}}",
	} {
		_, ok := r.resolve(t, alice, text)
		assert.False(t, ok, "%q", text)
	}
}

func TestATokenThatIsBoundToNobodyComesBackToNobodyUntilItIsBound(t *testing.T) {
	r := newRig(t, Options{})
	token, err := r.Mint(context.Background(), Scope{Tenant: alice.Tenant}, "EMAIL", "a@example.com")
	require.NoError(t, err)
	_, ok := r.resolve(t, alice, token)
	assert.False(t, ok)
	assert.Equal(t, token, r.mint(t, alice, "EMAIL", "a@example.com"), "the same value has the same placeholder")
	value, ok := r.resolve(t, alice, token)
	assert.True(t, ok)
	assert.Equal(t, "a@example.com", value)
}

func TestMintRefusesWhatCouldNotComeBack(t *testing.T) {
	r := newRig(t, Options{})
	ctx := context.Background()
	_, err := r.Mint(ctx, Scope{Key: "k"}, "EMAIL", "a@example.com")
	require.Error(t, err)
	for _, typ := range []string{"", "email", "1A", "_A", "A-B", "É", strings.Repeat("A", 32)} {
		_, err = r.Mint(ctx, alice, typ, "a@example.com")
		require.Error(t, err, "%q", typ)
		assert.NotContains(t, err.Error(), "example")
	}
	require.NoError(t, r.w.Close(ctx))
	_, err = r.Mint(ctx, alice, "EMAIL", "another@example.com")
	require.ErrorIs(t, err, store.ErrClosed)
	_, err = r.Mint(ctx, alice, "EMAIL", "another@example.com")
	require.ErrorIs(t, err, store.ErrClosed, "a token that was refused does not count as known")
}

func TestValuesOfAnyBytesComeBackAfterARestart(t *testing.T) {
	r := newRig(t, Options{})
	values := []string{"", "\x00", "\xff\xfe", "é😀", strings.Repeat("long ", 5000), "{{PII_A_0123456789abcdef}}", "a\x1fb"}
	tokens := map[string]string{}
	for _, v := range values {
		tokens[v] = r.mint(t, alice, "SECRET", v)
	}
	r.sync(t)
	r.open(t, Options{})
	for v, token := range tokens {
		got, ok := r.resolve(t, alice, token)
		assert.True(t, ok)
		assert.Equal(t, v, got)
		assert.Equal(t, token, r.mint(t, alice, "SECRET", v), "and have the same placeholder")
	}
}
