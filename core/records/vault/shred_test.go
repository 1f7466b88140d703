package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestDeletingATenantsTokensIsForEver(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, Options{})
	other := Scope{Tenant: "other", Key: "k"}
	kept := r.mint(t, other, "EMAIL", "o@example.com")
	tokens := make([]string, 10)
	for i := range tokens {
		tokens[i] = r.mint(t, alice, "EMAIL", fmt.Sprint(i, "@example.com"))
	}
	before, err := r.db.Config().ReadVersion(ctx)
	require.NoError(t, err)
	n, err := r.ShredTenant(ctx, "acme")
	require.NoError(t, err)
	assert.Equal(t, 10, n, "those that were not yet written count too")
	after, err := r.db.Config().ReadVersion(ctx)
	require.NoError(t, err)
	assert.Greater(t, after, before)
	for i, token := range tokens {
		_, ok := r.resolve(t, alice, token)
		assert.False(t, ok)
		assert.NotEqual(t, token, r.mint(t, alice, "EMAIL", fmt.Sprint(i, "@example.com")), "the key is a new one")
	}
	_, ok := r.resolve(t, other, kept)
	assert.True(t, ok)
	n, err = r.ShredTenant(ctx, "nobody")
	require.NoError(t, err)
	assert.Zero(t, n)
}

func TestAnotherProcessLearnsOfADeletion(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	r.sync(t)
	server := r.Vault
	r.open(t, Options{})
	_, err := r.ShredTenant(ctx, "acme")
	require.NoError(t, err)
	require.NoError(t, server.Refresh(ctx))
	_, ok, err := server.Resolve(ctx, alice, token)
	require.NoError(t, err)
	assert.False(t, ok)
	minted, err := server.Mint(ctx, alice, "EMAIL", "a@example.com")
	require.NoError(t, err)
	assert.NotEqual(t, token, minted)
	assert.Equal(t, r.mint(t, alice, "EMAIL", "a@example.com"), minted)
	require.NoError(t, server.Refresh(ctx), "nothing to do")
	_, ok, err = server.Resolve(ctx, alice, minted)
	require.NoError(t, err)
	assert.True(t, ok)
}

func TestDeletionsBesideTrafficLeaveNoOldToken(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, Options{})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				token, err := r.Mint(ctx, alice, "EMAIL", fmt.Sprint(g, i%50))
				assert.NoError(t, err)
				_, _, err = r.Resolve(ctx, alice, token)
				assert.NoError(t, err)
			}
		})
	}
	for range 10 {
		_, err := r.ShredTenant(ctx, "acme")
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
	r.sync(t)
	r.open(t, Options{})
	ten, err := r.openTenant(ctx, "acme", false)
	if errors.Is(err, store.ErrNotFound) {
		return
	}
	require.NoError(t, err)
	for g := range 2 {
		for i := range 50 {
			value := fmt.Sprint(g, i)
			digest := ten.digestPair("EMAIL", value)
			got, ok := r.resolve(t, alice, formatPlaceholder("EMAIL", digest[:8]))
			if ok {
				assert.Equal(t, value, got)
			}
		}
	}
	n, err := r.db.Vault().CountTokens(ctx, "acme")
	require.NoError(t, err)
	assert.LessOrEqual(t, n, 100, "rows sealed under a key that is gone were deleted with it")
}

func TestConcurrentExchangesNeverSeeEachOthersValues(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, Options{Entries: 1024})
	var wg sync.WaitGroup
	tokens := make(chan string, 4000)
	for g := range 4 {
		wg.Go(func() {
			own := Scope{Tenant: "acme", Key: fmt.Sprint("k", g)}
			for i := range 200 {
				value := fmt.Sprint(g, "-", i, "@example.com")
				token, err := r.Mint(ctx, own, "EMAIL", value)
				assert.NoError(t, err)
				got, ok, err := r.Resolve(ctx, own, token)
				assert.NoError(t, err)
				assert.True(t, ok)
				assert.Equal(t, value, got)
				tokens <- token
				select {
				case foreign := <-tokens:
					got, ok, err = r.Resolve(ctx, own, foreign)
					assert.NoError(t, err)
					assert.Equal(t, ok, strings.HasPrefix(got, fmt.Sprint(g, "-")))
				default:
				}
				_, err = r.Mint(ctx, Scope{Tenant: "acme", Key: "shared"}, "PHONE", fmt.Sprint(i%10))
				assert.NoError(t, err)
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			_, err := r.ShredTenant(ctx, "other")
			assert.NoError(t, err)
			_, err = r.Mint(ctx, Scope{Tenant: "other", Key: "k"}, "EMAIL", "x")
			assert.NoError(t, err)
		}
	})
	wg.Wait()
}
