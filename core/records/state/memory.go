package state

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Options are those of Memory. Zero fields have the defaults given.
type Options struct {
	// Counters is the most counters that are kept at a time, 262,144. One takes some
	// 200 bytes.
	Counters int
	// Bytes bounds keys and values together, 64 MiB. The values that were not asked
	// for the longest make room.
	Bytes int64
	// SpaceCounters and SpaceBytes bound each space in the same way, at 65,536 and 32 MiB:
	// beside what Counters and Bytes allow.
	SpaceCounters int
	SpaceBytes    int64
	// Now is the clock.
	Now func() time.Time
}

const (
	defaultCounters = 1 << 18
	defaultBytes    = 64 << 20

	defaultSpaceCounters = 1 << 16
	defaultSpaceBytes    = 32 << 20
)

// Memory keeps state in this process: nothing of it outlives a restart.
type Memory struct {
	counters
	values

	mu     sync.Mutex
	spaces map[string]*Memory
	space  Options // of each of them
}

var _ core.Spaced = (*Memory)(nil)

// NewMemory makes an empty one.
func NewMemory(o Options) *Memory {
	if o.Counters <= 0 {
		o.Counters = defaultCounters
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	if o.SpaceCounters <= 0 {
		o.SpaceCounters = defaultSpaceCounters
	}
	if o.SpaceBytes <= 0 {
		o.SpaceBytes = defaultSpaceBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Memory{
		counters: counters{seed: maphash.MakeSeed(), now: o.Now, most: max(1, o.Counters/counterShards)},
		values:   values{seed: maphash.MakeSeed(), now: o.Now, most: max(1, o.Bytes/valueShards)},
		spaces:   map[string]*Memory{},
		space:    Options{Counters: o.SpaceCounters, Bytes: o.SpaceBytes, Now: o.Now},
	}
	for i := range m.counters.shards {
		m.counters.shards[i].known = make(map[string]*counter)
	}
	for i := range m.values.shards {
		m.values.shards[i].init()
	}
	return m
}

// Space gives the part with a name; see core.Spaced. It stays when nobody asks for it any
// more, so that who comes back goes on with what was counted.
func (m *Memory) Space(name string) core.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.spaces[name]
	if s == nil {
		s = NewMemory(m.space)
		m.spaces[name] = s
	}
	return s
}

// Close does nothing.
func (m *Memory) Close(context.Context) error { return nil }
