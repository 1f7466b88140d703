package vault

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTwoValuesWithTheSameDigitsHaveTwoPlaceholders(t *testing.T) {
	r := newRig(t, Options{})
	first := r.mint(t, alice, "EMAIL", "a@example.com")
	ten, err := r.openTenant(context.Background(), "acme", false)
	require.NoError(t, err)
	digest := ten.digestPair("EMAIL", "a@example.com")
	digest[8] ^= 1 // another value whose digest starts with the same 16 digits
	sh := r.cache.chooseShard(digest[0])
	sh.mu.Lock()
	second, err := sh.chooseToken(ten, "EMAIL", digest)
	sh.mu.Unlock()
	require.NoError(t, err)
	assert.Regexp(t, `^\{\{PII_EMAIL_[0-9a-f]{24}\}\}$`, second)
	assert.Equal(t, strings.TrimSuffix(first, "}}"), second[:len(first)-2])

	sealed, err := ten.seal(second, "EMAIL", "b@example.com")
	require.NoError(t, err)
	e := &entry{of: ten, token: second, typ: "EMAIL", digest: digest, sealed: sealed}
	want, n := ten.listBindings(alice)
	require.NoError(t, r.save(context.Background(), sh, e, sealed, want[:n], r.now()))
	for token, v := range map[string]string{first: "a@example.com", second: "b@example.com"} {
		got, ok := r.resolve(t, alice, token)
		assert.True(t, ok)
		assert.Equal(t, v, got)
	}
	digest[12] ^= 1
	sh.mu.Lock()
	_, err = sh.chooseToken(ten, "EMAIL", digest)
	sh.mu.Unlock()
	require.Error(t, err, "a third one is refused and never mistaken")
}

func TestASealedValueOpensInItsPlaceOnly(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	ten, err := r.openTenant(context.Background(), "acme", false)
	require.NoError(t, err)
	sealed, err := ten.seal(token, "EMAIL", "a@example.com")
	require.NoError(t, err)
	again, err := ten.seal(token, "EMAIL", "a@example.com")
	require.NoError(t, err)
	assert.NotEqual(t, sealed, again, "each sealing has its own nonce")
	_, err = ten.open(token, "EMAIL", sealed)
	require.NoError(t, err)
	_, err = ten.open(token, "PHONE", sealed)
	require.ErrorIs(t, err, errOpen)
	_, err = ten.open(token+"x", "EMAIL", sealed)
	require.ErrorIs(t, err, errOpen)
	other, err := r.openTenant(context.Background(), "other", true)
	require.NoError(t, err)
	_, err = other.open(token, "EMAIL", sealed)
	require.ErrorIs(t, err, errOpen)
	for i := range sealed {
		bad := append([]byte(nil), sealed...)
		bad[i] ^= 1
		_, err = ten.open(token, "EMAIL", bad)
		require.ErrorIs(t, err, errOpen)
	}
	_, err = ten.open(token, "EMAIL", sealed[:5])
	require.ErrorIs(t, err, errOpen)
}

func TestAnotherMasterKeyIsAnErrorAndNoPanic(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	r.sync(t)
	v, err := New(r.db, r.w, &Master{root: [32]byte{1}}, Options{})
	require.NoError(t, err)
	_, _, err = v.Resolve(context.Background(), alice, token)
	require.ErrorIs(t, err, ErrWrongMaster)
	_, err = v.Mint(context.Background(), alice, "EMAIL", "a@example.com")
	require.ErrorIs(t, err, ErrWrongMaster)
}

func TestTheDatabaseNeverHoldsAValue(t *testing.T) {
	r := newRig(t, Options{})
	r.mint(t, alice, "EMAIL", "find-me@example.com")
	r.sync(t)
	for _, e := range []string{"", "-wal"} {
		b := readFile(t, r.path+e)
		assert.NotContains(t, b, "find-me")
		assert.NotContains(t, b, "alice")
	}
}

func TestTokensExpireAndAreRefreshedOnSight(t *testing.T) {
	r := newRig(t, Options{TTL: time.Hour})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	seen := r.mint(t, alice, "EMAIL", "b@example.com")
	r.later(40 * time.Minute)
	_, ok := r.resolve(t, alice, seen)
	assert.True(t, ok)
	r.sync(t)
	r.later(40 * time.Minute)
	for _, where := range []string{"in memory", "in the database"} {
		_, ok = r.resolve(t, alice, token)
		assert.False(t, ok, where)
		_, ok = r.resolve(t, alice, seen)
		assert.True(t, ok, where)
		r.sync(t)
		r.open(t, Options{TTL: time.Hour})
	}
	n, err := r.Expire(context.Background(), r.now())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, token, r.mint(t, alice, "EMAIL", "a@example.com"), "minted again it is the same")
	_, ok = r.resolve(t, alice, token)
	assert.True(t, ok)
}

func TestTheStoreHearsOfAKnownTokenOnceAMinute(t *testing.T) {
	r := newRig(t, Options{})
	for range 100 {
		token := r.mint(t, alice, "EMAIL", "a@example.com")
		r.resolve(t, alice, token)
	}
	r.sync(t)
	assert.Equal(t, int64(1), r.w.Stats().Written)
	r.later(time.Minute)
	for range 100 {
		r.mint(t, alice, "EMAIL", "a@example.com")
	}
	r.sync(t)
	assert.Equal(t, int64(2), r.w.Stats().Written)
}

func TestMemoryIsBoundedAndNothingIsForgotten(t *testing.T) {
	r := newRig(t, Options{Entries: shards})
	tokens := make([]string, 2000)
	for i := range tokens {
		tokens[i] = r.mint(t, alice, "EMAIL", fmt.Sprint(i, "@example.com"))
	}
	assert.LessOrEqual(t, r.cache.countEntries(), shards)
	r.sync(t)
	for i, token := range tokens {
		value, ok := r.resolve(t, alice, token)
		require.True(t, ok)
		require.Equal(t, fmt.Sprint(i, "@example.com"), value)
	}
	assert.LessOrEqual(t, r.cache.countEntries(), shards)
}

func TestAnEntryThatIsEvictedWhileItIsSavedCanBeEvictedAgain(t *testing.T) {
	r := newRig(t, Options{Entries: shards})
	token := r.mint(t, alice, "EMAIL", "kim@example.com")
	ten, err := r.openTenant(context.Background(), "acme", false)
	require.NoError(t, err)
	digest := ten.digestPair("EMAIL", "kim@example.com")
	sh := r.cache.chooseShard(digest[0])
	e := sh.digests[digestKey{ten, digest}]
	require.NotNil(t, e)
	added := 0
	fill := func() {
		for i := 0; i < 3; added++ {
			if value := fmt.Sprintf("n%d@example.com", added); r.cache.chooseShard(ten.digestPair("EMAIL", value)[0]) == sh {
				r.mint(t, alice, "EMAIL", value)
				i++
			}
		}
	}
	fill()
	require.True(t, e.dropped)

	want, n := ten.listBindings(alice)
	require.NoError(t, r.save(context.Background(), sh, e, e.sealed, want[:n], r.now()))
	require.Contains(t, sh.tokens, tokenKey{ten, token})
	fill()
	assert.NotContains(t, sh.tokens, tokenKey{ten, token}, "it stays in memory for ever")
	assert.Len(t, sh.tokens, 1)
}

func TestATokenThatNobodyIsBoundToIsWrittenAgain(t *testing.T) {
	r := newRig(t, Options{})
	nobody := Scope{Tenant: "acme"}
	token := r.mint(t, nobody, "EMAIL", "kim@example.com")
	r.later(2 * lazily)
	require.Equal(t, token, r.mint(t, nobody, "EMAIL", "kim@example.com"))
	require.NoError(t, r.w.Sync(context.Background()))
}
