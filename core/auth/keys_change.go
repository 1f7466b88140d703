package auth

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// KeysChange describes a change of keys and tenants.
type KeysChange struct {
	GoneTenants []string // ids; their keys stop working
	Tenants     []Tenant // new, or replacing those with the same ids
	Keys        []Key    // new, or replacing those with the same hashes
	GoneKeys    []string // ids
}

// NewKeys builds the keys. It skips keys of unknown tenants and retains its arguments.
func NewKeys(tenants []Tenant, keys []Key) *Keys {
	k := new(Keys)
	return k.Change(KeysChange{Tenants: tenants, Keys: keys})
}

// Change returns the keys after a change. The cost depends on the size of the change and a little on the number of tenants,
// not on the number of keys, unless keys without known hashes are removed: then it scans all once.
func (k *Keys) Change(c KeysChange) *Keys {
	b := builder{next: new(Keys), shapes: map[string]*shape{}}
	*b.next = *k
	b.next.held = slices.Clone(k.held)
	b.applyTenants(&c)
	for i := range b.next.parts { // allocate the final size for the first value
		if k.n == 0 && len(c.Keys) > shards {
			b.next.parts[i] = make(map[[sha256.Size]byte]*entry, len(c.Keys)/shards*5/4)
			b.own[i] = true
		}
	}
	for i := range c.Keys {
		b.addKey(&c.Keys[i])
	}
	b.removeKeys(c.GoneKeys)
	b.next.audience = b.next.findAudience()
	return b.next
}

// builder fills a value that no other goroutine has yet.
type builder struct {
	next   *Keys
	own    [shards]bool // parts that are not shared with the previous value
	shapes map[string]*shape
	name   []byte
}

func (b *builder) applyTenants(c *KeysChange) {
	if len(c.Tenants) == 0 && len(c.GoneTenants) == 0 {
		return
	}
	n := b.next
	n.tenants, n.index = slices.Clone(n.tenants), maps.Clone(n.index)
	if n.index == nil {
		n.index = make(map[string]int32, len(c.Tenants))
	}
	for _, id := range c.GoneTenants { // the slot stays empty: a new tenant with the same id is another one
		if at, ok := n.index[id]; ok {
			n.tenants[at] = nil
			delete(n.index, id)
		}
	}
	for i := range c.Tenants {
		t := &c.Tenants[i]
		at, ok := n.index[t.ID]
		if ok && !n.tenants[at].Made.Equal(t.Made) {
			n.tenants[at], ok = nil, false
		}
		if !ok {
			at = int32(len(n.tenants))
			n.index[t.ID] = at
			n.tenants = append(n.tenants, nil)
			n.held = append(n.held, 0)
		}
		own := *t // cloned, so that one key does not retain the memory of its neighbours
		n.tenants[at] = &own
	}
}

// copyPart returns a part that the builder may modify.
func (b *builder) copyPart(at int) map[[sha256.Size]byte]*entry {
	if !b.own[at] {
		b.own[at] = true
		old := b.next.parts[at]
		b.next.parts[at] = make(map[[sha256.Size]byte]*entry, len(old)+1)
		maps.Copy(b.next.parts[at], old)
	}
	return b.next.parts[at]
}

func (b *builder) addKey(key *Key) {
	tenant, ok := b.next.index[key.Tenant]
	if !ok {
		return
	}
	lineage := key.Lineage
	if lineage == key.ID {
		lineage = ""
	}
	e := &entry{
		text: key.ID + lineage + key.Prefix + key.Name, tenant: tenant, shape: b.shareShape(key),
		ends: convertToMicros(key.ExpiresAt),
	}
	end := 0
	for i, s := range [...]string{key.ID, lineage, key.Prefix} {
		end += len(s)
		e.cuts[i] = uint16(min(end, 1<<16-1))
	}
	if end >= 1<<16 {
		return // ids and prefixes are short; longer ones are not ours
	}
	p := b.copyPart(chooseShard(&key.Hash))
	if old := p[key.Hash]; old != nil {
		b.next.held[old.tenant]--
	} else {
		b.next.n++
	}
	b.next.held[tenant]++
	p[key.Hash] = e
}

// removeKeys removes keys by their ids.
func (b *builder) removeKeys(ids []string) {
	if len(ids) == 0 {
		return
	}
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	for at := range b.next.parts {
		for hash, e := range b.next.parts[at] {
			if gone[e.text[:e.cuts[0]]] {
				delete(b.copyPart(at), hash)
				b.next.n--
				b.next.held[e.tenant]--
			}
		}
	}
}

// fewKeys are as many as one key and those that replace it can be.
const fewKeys = 4

// findAudience returns who can call with the keys. It looks at each tenant, and at each key only while there are few.
func (k *Keys) findAudience() Audience {
	only, keys := int32(-1), int32(0)
	for at, n := range k.held {
		if t := k.tenants[at]; n == 0 || t == nil || t.Suspended {
			continue
		}
		if only >= 0 {
			return SeveralTenants
		}
		only, keys = int32(at), n
	}
	if keys > fewKeys {
		return OneTenant
	}
	lineage := ""
	for i := range k.parts {
		for _, e := range k.parts[i] {
			if e.tenant != only {
				continue
			}
			l := e.text[e.cuts[0]:e.cuts[1]]
			if l == "" {
				l = e.text[:e.cuts[0]]
			}
			if lineage != "" && l != lineage {
				return OneTenant
			}
			lineage = l
		}
	}
	return OneKey
}

// shareShape returns the shared fields of keys in one change.
func (b *builder) shareShape(key *Key) *shape {
	if len(key.Metadata) > 0 { // is rarely equal to another's
		return &shape{scopes: key.Scopes, tier: key.Tier, tags: key.Tags, models: key.Models, metadata: key.Metadata}
	}
	b.name = fmt.Appendf(b.name[:0], "%q%q%q%s", key.Scopes, key.Tags, key.Models, key.Tier)
	s := b.shapes[string(b.name)]
	if s == nil {
		s = &shape{scopes: key.Scopes, tier: strings.Clone(key.Tier), tags: key.Tags, models: key.Models}
		b.shapes[string(b.name)] = s
	}
	return s
}

func convertToMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
