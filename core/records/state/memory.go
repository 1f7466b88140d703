package state

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Options configure Memory. Zero fields take the defaults.
type Options struct {
	// Counters is the maximum number of counters, by default 262,144. Each takes about 200 bytes.
	Counters int
	// Bytes limits keys and values together, by default 64 MiB. The least recently used values are evicted.
	Bytes int64
	// SpaceCounters and SpaceBytes limit each space in the same way, by default 65,536 and 32 MiB, in addition to
	// Counters and Bytes.
	SpaceCounters int
	SpaceBytes    int64
	// Now returns the current time; by default time.Now.
	Now func() time.Time
}

const (
	defaultCounters = 1 << 18
	defaultBytes    = 64 << 20

	defaultSpaceCounters = 1 << 16
	defaultSpaceBytes    = 32 << 20
)

// Memory stores state in this process. A restart loses it.
type Memory struct {
	counters
	values

	mu     sync.Mutex
	spaces map[string]*Memory
	space  Options // limits of each space
}

// NewMemory returns an empty Memory.
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

// OpenSpace returns the space with a name; see core.OpenSpace. Spaces are never removed, so a caller that returns finds its
// counts.
func (m *Memory) OpenSpace(name string) core.State {
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
