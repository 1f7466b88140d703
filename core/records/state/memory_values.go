package state

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

const valueShards = 16

// entryOverhead is the approximate size of an entry beyond its key and value, in bytes.
const entryOverhead = 128

// values stores values in memory and evicts the least recently used.
type values struct {
	seed   maphash.Seed
	now    func() time.Time
	most   int64 // maximum bytes per shard
	shards [valueShards]valueShard
}

type valueShard struct {
	mu    sync.Mutex
	known map[string]*value
	used  int64
	ring  value // sentinel: next is the newest, previous the oldest
}

type value struct {
	next, previous *value
	key            string
	bytes          []byte
	ends           time.Time
}

func (v *value) size() int64 { return int64(len(v.key)+len(v.bytes)) + entryOverhead }

func (s *valueShard) init() {
	s.known = make(map[string]*value)
	s.ring.next, s.ring.previous = &s.ring, &s.ring
}

func (m *values) findShard(key string) *valueShard {
	return &m.shards[maphash.String(m.seed, key)%valueShards]
}

// Get returns a value; see core.Values.
func (m *values) Get(_ context.Context, key string) ([]byte, bool, error) {
	s := m.findShard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.known[key]
	switch {
	case v == nil:
		return nil, false, nil
	case !m.now().Before(v.ends):
		s.remove(v)
		return nil, false, nil
	}
	v.unlink()
	s.insertNewest(v)
	return v.bytes, true, nil
}

// Set stores a value; see core.Values. ErrTooLarge means that the value alone exceeds the limit.
func (m *values) Set(_ context.Context, key string, b []byte, ttl time.Duration) error {
	if ttl <= 0 {
		return errTTL
	}
	v := &value{key: key, bytes: append(make([]byte, 0, len(b)), b...), ends: m.now().Add(ttl)}
	if v.size() > m.most {
		return ErrTooLarge
	}
	s := m.findShard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.known[key]; old != nil {
		s.remove(old)
	}
	for s.used+v.size() > m.most {
		s.remove(s.ring.previous)
	}
	s.known[key] = v
	s.used += v.size()
	s.insertNewest(v)
	return nil
}

// Delete removes a value; see core.Values.
func (m *values) Delete(_ context.Context, key string) error {
	s := m.findShard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.known[key]; v != nil {
		s.remove(v)
	}
	return nil
}

func (s *valueShard) insertNewest(v *value) {
	v.next, v.previous = s.ring.next, &s.ring
	v.next.previous, v.previous.next = v, v
}

func (s *valueShard) remove(v *value) {
	v.unlink()
	delete(s.known, v.key)
	s.used -= v.size()
}

func (v *value) unlink() { v.next.previous, v.previous.next = v.previous, v.next }
