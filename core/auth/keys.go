package auth

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Tenant contains the fields of a tenant that its principals carry.
// Its own type: it stays in memory for each tenant, without what a call never reads.
type Tenant struct {
	ID, Region string
	Tier       string // for keys that set none
	Suspended  bool
	Tags       []string
	Metadata   map[string]any
	Made       time.Time // a tenant recreated under the same id is another tenant and has none of these keys
}

// Key is a key that authenticates.
// Its own type: it stays in memory for each key, so that owners, sources and times are left out.
type Key struct {
	Hash         [sha256.Size]byte
	Tenant       string // tenant id
	ID, Lineage  string // an empty lineage is the id
	Prefix, Name string
	Scopes       []string
	Tier         string // "": the tenant's
	Tags         []string
	Models       []string // patterns; empty: all models
	Metadata     map[string]any
	ExpiresAt    time.Time // when it expires; zero means never
}

// shards is the number of parts in which keys are stored. A change copies the parts that it touches: about 100 keys per
// changed key among 100,000.
const shards = 1024

// Keys contains the active keys. It is immutable: Change returns another value that shares unchanged parts. The zero value
// is empty.
type Keys struct {
	parts    [shards]map[[sha256.Size]byte]*entry
	tenants  []*Tenant        // nil: deleted
	index    map[string]int32 // by tenant id
	held     []int32          // keys by tenant
	n        int
	audience Audience
}

// entry stores a key in few bytes, because there may be a hundred thousand that are rarely used.
type entry struct {
	text   string    // id, lineage, prefix and name, concatenated
	cuts   [3]uint16 // the offsets of the lineage, the prefix and the name
	tenant int32
	shape  *shape
	ends   int64 // microseconds since 1970; 0 means never
	made   atomic.Pointer[principals]
}

// shape contains fields with the same values in many keys.
type shape struct {
	scopes   []string
	tier     string
	tags     []string
	models   []string
	metadata map[string]any
}

// principals caches a principal with the tenant from which it was built. A changed tenant makes it stale.
type principals struct {
	core.Principal
	of    *Tenant
	homes [4]atomic.Uint64 // hashes of hosts from which the key has worked; 0 is free. See Door.
}

// Len returns the number of keys.
func (k *Keys) Len() int { return k.n }

// Audience says who can call the gateway, judging by its keys.
type Audience uint8

// The audiences. A key and those that replace it count as one.
const (
	OneKey Audience = iota
	OneTenant
	SeveralTenants
)

// Audience returns who can call. Tenants without keys and suspended ones do not count.
func (k *Keys) Audience() Audience { return k.audience }

// FindTenant returns a tenant as the principals of its keys see it, or nil. Callers must not modify it.
func (k *Keys) FindTenant(id string) *Tenant {
	at, ok := k.index[id]
	if !ok {
		return nil
	}
	return k.tenants[at]
}

// find returns the principal of a key by its hash, or nil if no such key is active.
func (k *Keys) find(hash [sha256.Size]byte, now time.Time) *principals {
	e := k.parts[chooseShard(&hash)][hash]
	if e == nil || e.ends != 0 && now.UnixMicro() >= e.ends {
		return nil
	}
	t := k.tenants[e.tenant]
	if t == nil {
		return nil
	}
	m := e.made.Load()
	if m == nil || m.of != t {
		m = e.makePrincipals(t)
		e.made.Store(m) // concurrent callers build equal values
	}
	return m
}

// FindByHash returns the principal of a key by its [Hash], or nil if no such key is active. Callers must not modify it.
func (k *Keys) FindByHash(hash [sha256.Size]byte, now time.Time) *core.Principal {
	m := k.find(hash, now)
	if m == nil {
		return nil
	}
	return &m.Principal
}

func chooseShard(hash *[sha256.Size]byte) int { return (int(hash[0])<<8 | int(hash[1])) % shards }

func (e *entry) makePrincipals(t *Tenant) *principals {
	c := e.cuts
	m := &principals{of: t, Principal: core.Principal{
		Tenant: t.ID, KeyID: e.text[:c[0]], Lineage: e.text[c[0]:c[1]], KeyPrefix: e.text[c[1]:c[2]], KeyName: e.text[c[2]:],
		Scopes: e.shape.scopes, Tier: e.shape.tier, Region: t.Region, Suspended: t.Suspended,
		Tags: e.shape.tags, Models: e.shape.models, TenantTags: t.Tags, Metadata: e.shape.metadata, TenantMetadata: t.Metadata,
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

// Authenticate returns the principal of a request from its headers alone. All failures look the same, so that they do not
// reveal which keys exist.
func (k *Keys) Authenticate(h http.Header, now time.Time) (*core.Principal, *core.Error) {
	p, _, err := k.authenticate(h, now)
	return p, err
}

func (k *Keys) authenticate(h http.Header, now time.Time) (*core.Principal, *principals, *core.Error) {
	key := ReadCredential(h)
	if !strings.HasPrefix(key, KeyPrefix) {
		return nil, nil, newUnauthenticated("send a gateway key (gw_…) as a bearer token in the Authorization header")
	}
	m := k.find(hashKey(key), now)
	if m == nil {
		return nil, nil, newUnauthenticated("the gateway key is not valid")
	}
	return &m.Principal, m, nil
}
