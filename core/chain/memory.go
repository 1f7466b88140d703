package chain

import (
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/minio/highwayhash"

	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/recall"
)

// Memory remembers what stages found in runs of text, within a budget of bytes. It implements recall.Memory.
//
// Keys are HighwayHash-128 under keys that live as long as the process, so a client cannot choose two texts with one key,
// and a dump of the memory does not show which texts were there. Entries lie in shards, each with a lock that is
// held for one look-up. A shard has two generations: what is used moves to the younger one, and when that is full, the
// older one is dropped. Neither holds pointers, so the garbage collector does not look through them.
type Memory struct {
	keys   [payload.Domains][highwayhash.Size]byte
	limit  atomic.Int64 // bytes of one generation of a shard
	shards [memoryShards]memoryShard
}

var _ recall.Memory = (*Memory)(nil)

const (
	memoryShards = 64
	// entryCost is what an entry takes beside its value, in bytes: a slot of the map of 33, with room to grow.
	entryCost = 64
	// longestValue bounds a value, in bytes; a longer one is not kept.
	longestValue = 16 << 10
)

type memoryShard struct {
	sync.Mutex
	young, old   generation
	hits, misses uint64
	spared       uint64 // bytes of texts that were not judged again
	_            [64]byte
}

type generation struct {
	places map[recall.Key]place
	values []byte
}

// place says where a value lies.
type place struct{ at, n uint32 }

func (g *generation) bytes() int64 { return int64(len(g.places)*entryCost + len(g.values)) }

// NewMemory returns a memory of at most so many bytes; 0 remembers nothing.
func NewMemory(bytes int64) *Memory {
	m := new(Memory)
	for i := range m.keys {
		_, _ = rand.Read(m.keys[i][:]) // never fails
	}
	m.SetLimit(bytes)
	return m
}

// SetLimit changes the budget.
func (m *Memory) SetLimit(bytes int64) {
	each := bytes / memoryShards / 2
	if m.limit.Swap(each) <= each {
		return
	}
	for i := range m.shards {
		s := &m.shards[i]
		s.Lock()
		s.young, s.old = generation{}, generation{}
		s.Unlock()
	}
}

// Hash implements payload.Hasher.
func (m *Memory) Hash(d payload.Domain, b []byte) payload.Sum {
	return highwayhash.Sum128(b, m.keys[d][:])
}

// Recall implements recall.Memory.
func (m *Memory) Recall(dst []byte, k recall.Key, size int) (value []byte, ok bool) {
	s := &m.shards[k.Lo%memoryShards]
	s.Lock()
	defer s.Unlock()
	p, ok := s.young.places[k]
	from := &s.young
	if !ok {
		if p, ok = s.old.places[k]; !ok {
			s.misses++
			return dst, false
		}
		from = &s.old
	}
	s.hits++
	s.spared += uint64(size)
	dst = append(dst, from.values[p.at:p.at+p.n]...)
	if from == &s.old {
		s.keep(k, dst[len(dst)-int(p.n):], m.limit.Load())
	}
	return dst, true
}

// Keep implements recall.Memory.
func (m *Memory) Keep(k recall.Key, value []byte) {
	limit := m.limit.Load()
	if limit < entryCost+int64(len(value)) || len(value) > longestValue {
		return
	}
	s := &m.shards[k.Lo%memoryShards]
	s.Lock()
	s.keep(k, value, limit)
	s.Unlock()
}

func (s *memoryShard) keep(k recall.Key, value []byte, limit int64) {
	g := &s.young
	if _, known := g.places[k]; known {
		return // by another exchange, meanwhile
	}
	if g.bytes()+entryCost+int64(len(value)) > limit {
		s.young, s.old = s.old, s.young
		clear(g.places)
		g.values = g.values[:0]
	}
	if g.places == nil {
		g.places = map[recall.Key]place{}
	}
	g.places[k] = place{uint32(len(g.values)), uint32(len(value))}
	g.values = append(g.values, value...)
}

// MemoryUse is what a memory has done since it was made.
type MemoryUse struct {
	Hits, Misses uint64
	Spared       uint64 // bytes of texts that were not judged again
	Bytes        int64  // held now
}

// Use returns what the memory has done.
func (m *Memory) Use() (u MemoryUse) {
	for i := range m.shards {
		s := &m.shards[i]
		s.Lock()
		u.Hits, u.Misses, u.Spared = u.Hits+s.hits, u.Misses+s.misses, u.Spared+s.spared
		u.Bytes += s.young.bytes() + s.old.bytes()
		s.Unlock()
	}
	return u
}
