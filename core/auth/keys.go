package auth

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Tenant is what the principals of a tenant's keys show of it.
type Tenant struct {
	ID, Region string
	Tier       string // of keys that have none of their own
	Suspended  bool
	Tags       []string
	Metadata   map[string]any
	Made       time.Time // another of the same id, made at another time, is another tenant, and has none of its keys
}

// Key is a key that authenticates.
type Key struct {
	Hash         [sha256.Size]byte
	Tenant       string // tenant id
	ID, Lineage  string // an empty lineage is the id
	Prefix, Name string
	Scopes       []string
	Tier         string // "": the tenant's
	Tags         []string
	Metadata     map[string]any
	ExpiresAt    time.Time // when it authenticates no more; zero: never
}

// shards is how many parts the keys are kept in. A change copies the parts that it
// touches: of 100,000 keys about 100 for each key.
const shards = 1024

// Keys are the keys in force. The value is immutable: Change makes another one, which
// shares with it what did not change. The zero value holds none.
type Keys struct {
	parts   [shards]map[[sha256.Size]byte]*entry
	tenants []*Tenant        // nil: deleted
	index   map[string]int32 // by tenant id
	n       int
}

// entry is a key in as few bytes as will do: there may be a hundred thousand, of which
// most are not used for a long time.
type entry struct {
	text   string    // id, lineage, prefix and name, one behind the other
	cuts   [3]uint16 // where the lineage, the prefix and the name begin
	tenant int32
	shape  *shape
	ends   int64 // microseconds since 1970, 0: never
	made   atomic.Pointer[principals]
}

// shape is what many keys have in common.
type shape struct {
	scopes   []string
	tier     string
	tags     []string
	metadata map[string]any
}

// principals is a principal and what it was made of. A tenant that changes makes it stale.
type principals struct {
	core.Principal
	of *Tenant
}

// Len is how many keys there are.
func (k *Keys) Len() int { return k.n }

// Tenant is a tenant as the principals of its keys show it, or nil. It must not be changed.
func (k *Keys) Tenant(id string) *Tenant {
	at, ok := k.index[id]
	if !ok {
		return nil
	}
	return k.tenants[at]
}

// find gives the principal of a key by its hash; nil: there is none in force.
func (k *Keys) find(hash [sha256.Size]byte, now time.Time) *core.Principal {
	e := k.parts[shardOf(&hash)][hash]
	if e == nil || e.ends != 0 && now.UnixMicro() >= e.ends {
		return nil
	}
	t := k.tenants[e.tenant]
	if t == nil {
		return nil
	}
	m := e.made.Load()
	if m == nil || m.of != t {
		m = e.make(t)
		e.made.Store(m) // two that make it at once make the same
	}
	return &m.Principal
}

func shardOf(hash *[sha256.Size]byte) int { return (int(hash[0])<<8 | int(hash[1])) % shards }

func (e *entry) make(t *Tenant) *principals {
	c := e.cuts
	m := &principals{of: t, Principal: core.Principal{
		Tenant: t.ID, KeyID: e.text[:c[0]], Lineage: e.text[c[0]:c[1]], KeyPrefix: e.text[c[1]:c[2]], KeyName: e.text[c[2]:],
		Scopes: e.shape.scopes, Tier: e.shape.tier, Region: t.Region, Suspended: t.Suspended,
		Tags: e.shape.tags, TenantTags: t.Tags, Metadata: e.shape.metadata, TenantMetadata: t.Metadata,
	}}
	if m.Lineage == "" {
		m.Lineage = m.KeyID
	}
	if m.Tier == "" {
		m.Tier = t.Tier
	}
	if e.ends != 0 {
		m.ExpiresAt = time.UnixMicro(e.ends).UTC()
	}
	return m
}

// Authenticate finds the principal of a request by its header alone. Every
// failure looks the same: it tells nothing about which keys exist.
func (k *Keys) Authenticate(h http.Header, now time.Time) (*core.Principal, *core.Error) {
	key := Credential(h)
	if !strings.HasPrefix(key, KeyPrefix) {
		return nil, unauthenticated("send a gateway key (gw_…) as a bearer token in the Authorization header")
	}
	p := k.find(digestOf(key), now)
	if p == nil {
		return nil, unauthenticated("the gateway key is not valid")
	}
	return p, nil
}
