package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// entry is one token in memory. The value stays sealed here too: entries live for days, and a core dump or a swapped
// page should reveal no more than the database does. Opening costs well under a microsecond and happens only when an
// answer contains a placeholder. Minting never opens: the full digest distinguishes values.
type entry struct {
	of      *tenant
	token   string
	typ     string
	digest  [sha256.Size]byte
	sealed  []byte
	binds   []binding
	saved   int64 // when its times were last sent to the store, in microseconds
	expires int64
	mark    mark // key in the recollection
	seen    bool // since the clock hand last passed
	dropped bool
}

func (e *entry) isBound(b binding) bool {
	for i := range e.binds {
		if e.binds[i] == b {
			return true
		}
	}
	return false
}

type tokenKey struct {
	of    *tenant
	token string
}

// shards is a power of two. Digests spread evenly over them.
const shards = 64

// cache holds a bounded number of entries and evicts by the clock algorithm. It must be larger than the writer's queue,
// so that an entry is evicted only after it can be read from the store. The clock passes each entry once before it
// evicts it, so new ones survive.
type cache struct {
	limit  int // maximum entries per shard
	shard  [shards]shard
	recent recollection
}

type shard struct {
	mu      sync.Mutex
	digests map[digestKey]*entry
	tokens  map[tokenKey]*entry
	ring    []*entry
	hand    int
}

// digestKey includes the tenant. Digests are keyed per tenant already, but isolation should not rest on that alone.
type digestKey struct {
	of  *tenant
	sum [sha256.Size]byte
}

func newCache(entries int) *cache {
	c := &cache{limit: max(1, entries/shards)}
	for i := range c.shard {
		c.shard[i].digests = map[digestKey]*entry{}
		c.shard[i].tokens = map[tokenKey]*entry{}
	}
	return c
}

// chooseShard returns the shard of a digest. Its token maps to the same shard, because the token's digits start with the
// digest's first byte.
func (c *cache) chooseShard(first byte) *shard { return &c.shard[first%shards] }

// chooseTokenShard returns the shard of a whole placeholder with the given digits.
func (c *cache) chooseTokenShard(digits string) *shard {
	var first [1]byte
	if _, err := hex.Decode(first[:], []byte(digits[:2])); err != nil {
		return &c.shard[0]
	}
	return c.chooseShard(first[0])
}

// add puts e into the locked shard and replaces an entry with the same digest.
func (s *shard) add(e *entry, limit int) {
	if old := s.digests[digestKey{e.of, e.digest}]; old != nil {
		s.drop(old)
	}
	s.digests[digestKey{e.of, e.digest}] = e
	s.tokens[tokenKey{e.of, e.token}] = e
	e.seen = true
	if len(s.ring) < limit {
		s.ring = append(s.ring, e)
		return
	}
	for {
		at := s.hand
		s.hand = (s.hand + 1) % len(s.ring)
		old := s.ring[at]
		if old.seen && !old.dropped {
			old.seen = false
			continue
		}
		s.drop(old)
		s.ring[at] = e
		return
	}
}

// drop removes e. The clock hand reuses its slot in the ring.
func (s *shard) drop(e *entry) {
	if e.dropped {
		return
	}
	e.dropped = true
	delete(s.digests, digestKey{e.of, e.digest})
	delete(s.tokens, tokenKey{e.of, e.token})
}

// purge removes all entries of a tenant.
func (c *cache) purge(t *tenant) {
	for i := range c.shard {
		s := &c.shard[i]
		s.mu.Lock()
		for _, e := range s.ring {
			if e.of == t {
				s.drop(e)
				e.sealed = nil
			}
		}
		s.mu.Unlock()
	}
	for i := range c.recent {
		if e := c.recent[i].Load(); e != nil && e.of == t {
			c.recent[i].Store(nil)
		}
	}
}

// countEntries returns the number of entries.
func (c *cache) countEntries() int {
	n := 0
	for i := range c.shard {
		s := &c.shard[i]
		s.mu.Lock()
		n += len(s.tokens)
		s.mu.Unlock()
	}
	return n
}
