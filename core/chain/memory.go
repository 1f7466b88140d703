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
// older one is dropped. Nothing in them is a pointer, so the garbage collector does not look through them.
type Memory struct {
	keys   [payload.Domains][highwayhash.Size]byte
	limit  atomic.Int64 // bytes of one generation of a shard
	shards [memoryShards]memoryShard
}

var _ recall.Memory = (*Memory)(nil)

const (
	memoryShards = 1 << shardBits
	// entryCost is what an entry takes beside its value, in bytes: a slot of 33, of which at least half are in use once a shard is full.
	entryCost = 64
	// maxValueLength bounds a value, in bytes; a longer one is not kept.
	maxValueLength = 32 << 10
)

type memoryShard struct {
	sync.Mutex
	table        memoryTable
	young, old   []byte // values of each generation
	hits, misses uint64
	spared       uint64 // bytes of texts that were not judged again
	_            [64]byte
}

// countBytes returns what the two generations take.
func (s *memoryShard) countBytes() (young, old int64) {
	return int64(s.table.young*entryCost + len(s.young)), int64(s.table.old*entryCost + len(s.old))
}

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
		s.table, s.young, s.old = memoryTable{}, nil, nil
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
	e := s.table.find(k)
	if e == nil {
		s.misses++
		return dst, false
	}
	s.hits++
	s.spared += uint64(size)
	if !e.isOld() {
		return append(dst, s.young[e.at:e.at+e.size()]...), true
	}
	dst = append(dst, s.old[e.at:e.at+e.size()]...)
	s.renew(e, dst[len(dst)-int(e.size()):], m.limit.Load())
	return dst, true
}

// Store implements recall.Memory.
func (m *Memory) Store(k recall.Key, value []byte) {
	limit := m.limit.Load()
	if limit < entryCost+int64(len(value)) || len(value) > maxValueLength {
		return
	}
	s := &m.shards[k.Lo%memoryShards]
	s.Lock()
	s.store(k, value, limit)
	s.Unlock()
}

func (s *memoryShard) store(k recall.Key, value []byte, limit int64) {
	if e := s.table.find(k); e != nil { // another exchange has kept it meanwhile
		if e.isOld() {
			s.renew(e, s.old[e.at:e.at+e.size()], limit)
		}
		return
	}
	s.makeRoom(len(value), limit)
	s.table.add(memoryEntry{key: k, at: uint32(len(s.young)), n: uint32(len(value)) << 1})
	s.young = append(s.young, value...)
}

// renew moves an entry of the older generation to the younger. Its value may lie in s.old.
func (s *memoryShard) renew(e *memoryEntry, value []byte, limit int64) {
	k := e.key
	if s.makeRoom(len(value), limit) { // which has dropped the entry
		s.table.add(memoryEntry{key: k, n: uint32(len(value)) << 1})
	} else {
		s.table.renew(e, uint32(len(s.young)))
	}
	s.young = append(s.young, value...)
}

// makeRoom drops the older generation, whose place the younger takes, if the younger has no room for a value. It reports whether it did.
func (s *memoryShard) makeRoom(n int, limit int64) bool {
	if young, _ := s.countBytes(); young+entryCost+int64(n) <= limit {
		return false
	}
	s.table.rotate()
	s.young, s.old = s.old[:0], s.young
	return true
}

// MemoryUse counts the use of a memory since its creation.
type MemoryUse struct {
	Hits, Misses uint64
	Spared       uint64 // bytes of texts that were not judged again
	Bytes        int64  // held now
}

// Use returns the counts.
func (m *Memory) Use() (u MemoryUse) {
	for i := range m.shards {
		s := &m.shards[i]
		s.Lock()
		u.Hits, u.Misses, u.Spared = u.Hits+s.hits, u.Misses+s.misses, u.Spared+s.spared
		young, old := s.countBytes()
		u.Bytes += young + old
		s.Unlock()
	}
	return u
}
