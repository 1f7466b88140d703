package auth

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestKeysKnowWhetherSeveralTenantsCanCall(t *testing.T) {
	made := func(id string) Tenant { return Tenant{ID: id, Made: time.Unix(1, 0)} }
	key := func(tenant, id, lineage string) Key {
		return Key{Tenant: tenant, ID: id, Lineage: lineage, Hash: Hash(tenant + id)}
	}
	k := NewKeys(nil, nil)
	is := func(want Audience, c KeysChange) {
		t.Helper()
		k = k.Change(c)
		assert.Equal(t, want, k.Audience())
	}
	is(OneKey, KeysChange{Tenants: []Tenant{made("a"), made("b")}, Keys: []Key{key("a", "1", "")}})
	is(OneKey, KeysChange{Keys: []Key{key("a", "2", "1")}}) // the first was rotated
	is(OneTenant, KeysChange{Keys: []Key{key("a", "3", "")}})
	is(SeveralTenants, KeysChange{Keys: []Key{key("b", "4", "")}})
	is(SeveralTenants, KeysChange{Keys: []Key{key("b", "4", "")}})
	is(OneTenant, KeysChange{GoneKeys: []string{"4"}})
	is(SeveralTenants, KeysChange{Keys: []Key{key("b", "4", "")}})
	is(OneTenant, KeysChange{Tenants: []Tenant{{ID: "b", Made: time.Unix(1, 0), Suspended: true}}})
	is(SeveralTenants, KeysChange{Tenants: []Tenant{made("b")}})
	is(OneTenant, KeysChange{GoneTenants: []string{"b"}})
	is(OneTenant, KeysChange{Tenants: []Tenant{made("b")}}) // its old keys do not work
	var many []Key
	for i := range 20 {
		many = append(many, key("b", strconv.Itoa(100+i), "100"))
	}
	is(SeveralTenants, KeysChange{Keys: many})
	is(OneTenant, KeysChange{GoneKeys: []string{"1", "2", "3"}})
}
