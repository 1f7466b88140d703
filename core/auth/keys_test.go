package auth

import (
	"fmt"
	"math/rand"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func header(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

func TestAPrincipalShowsItsKeyAndItsTenant(t *testing.T) {
	plain, ends := NewKey(), time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC)
	k := NewKeys(
		[]Tenant{{ID: "acme", Region: "eu", Tier: "bulk", Suspended: true, Tags: []string{"x"}, Metadata: map[string]any{"a": 1}}},
		[]Key{{
			Hash: Hash(plain), Tenant: "acme", ID: "id", Lineage: "first", Prefix: "gw_abc", Name: "dev", Scopes: []string{ScopeModels},
			Tier: "premium", Tags: []string{"y"}, Metadata: map[string]any{"b": 2}, ExpiresAt: ends,
		}})
	p, err := k.Authenticate(header(plain), time.Now())
	require.Nil(t, err)
	assert.Equal(t, &core.Principal{
		Tenant: "acme", KeyID: "id", Lineage: "first", KeyPrefix: "gw_abc", KeyName: "dev", Scopes: []string{ScopeModels}, Tier: "premium",
		Region: "eu", Suspended: true, Tags: []string{"y"}, TenantTags: []string{"x"}, Metadata: map[string]any{"b": 2},
		TenantMetadata: map[string]any{"a": 1}, ExpiresAt: ends,
	}, p)
	again, _ := k.Authenticate(header(plain), time.Now())
	assert.Same(t, p, again, "it is made once")
}

func TestAChangeLeavesTheValueBeforeAsItWas(t *testing.T) {
	a, b := NewKey(), NewKey()
	before := NewKeys([]Tenant{{ID: "t"}}, []Key{{Hash: Hash(a), Tenant: "t", ID: "a"}})
	after := before.Change(KeysChange{
		Tenants: []Tenant{{ID: "t", Suspended: true}}, Keys: []Key{{Hash: Hash(b), Tenant: "t", ID: "b"}}, GoneKeys: []string{"a"},
	})
	p, err := before.Authenticate(header(a), time.Now())
	require.Nil(t, err)
	assert.False(t, p.Suspended)
	_, err = before.Authenticate(header(b), time.Now())
	assert.NotNil(t, err)
	_, err = after.Authenticate(header(a), time.Now())
	assert.NotNil(t, err)
	p, err = after.Authenticate(header(b), time.Now())
	require.Nil(t, err)
	assert.True(t, p.Suspended)
	assert.Equal(t, 1, before.Len())
	assert.Equal(t, 1, after.Len())
}

func TestAPrincipalFollowsItsTenant(t *testing.T) {
	plain := NewKey()
	k := NewKeys([]Tenant{{ID: "t", Region: "eu"}}, []Key{{Hash: Hash(plain), Tenant: "t", ID: "k"}})
	old, _ := k.Authenticate(header(plain), time.Now())
	moved := k.Change(KeysChange{Tenants: []Tenant{{ID: "t", Region: "us"}}})
	p, _ := moved.Authenticate(header(plain), time.Now())
	assert.Equal(t, "us", p.Region)
	assert.Equal(t, "eu", old.Region)
	gone := moved.Change(KeysChange{GoneTenants: []string{"t"}})
	_, err := gone.Authenticate(header(plain), time.Now())
	assert.NotNil(t, err)
	back := gone.Change(KeysChange{Tenants: []Tenant{{ID: "t"}}})
	_, err = back.Authenticate(header(plain), time.Now())
	assert.NotNil(t, err, "a deleted tenant's keys do not come back with its name")
	_, err = new(Keys).Authenticate(header(plain), time.Now())
	assert.NotNil(t, err)
}

// Changes in any order give what building all at once gives.
func TestChangesComeToTheSameAsBuildingAnew(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	k, want := new(Keys), map[string]Key{}
	tenants := []Tenant{{ID: "0"}, {ID: "1"}, {ID: "2"}}
	k = k.Change(KeysChange{Tenants: tenants})
	plain := make([]string, 300)
	for i := range plain {
		plain[i] = NewKey()
	}
	for range 200 {
		var c KeysChange
		for range r.Intn(5) {
			i := r.Intn(len(plain))
			id := fmt.Sprint(i)
			if r.Intn(3) == 0 {
				c.GoneKeys = append(c.GoneKeys, id)
				continue
			}
			c.Keys = append(c.Keys, Key{Hash: Hash(plain[i]), Tenant: fmt.Sprint(r.Intn(4)), ID: id, Name: fmt.Sprint(r.Intn(9))})
		}
		for _, key := range c.Keys {
			if key.Tenant != "3" { // unknown
				want[key.ID] = key
			}
		}
		for _, id := range c.GoneKeys {
			delete(want, id)
		}
		k = k.Change(c)
	}
	assert.Equal(t, len(want), k.Len())
	for i, key := range plain {
		p, err := k.Authenticate(header(key), time.Now())
		w, ok := want[fmt.Sprint(i)]
		require.Equal(t, ok, err == nil)
		if ok {
			assert.Equal(t, [3]string{w.ID, w.Tenant, w.Name}, [3]string{p.KeyID, p.Tenant, p.KeyName})
		}
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	plain := NewKey()
	k := NewKeys([]Tenant{{ID: "t"}}, []Key{{Hash: Hash(plain), Tenant: "t", ID: "k"}})
	h, now := header(plain), time.Now()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = k.Authenticate(h, now)
	}
}
