package state

import (
	"context"
	"hash/maphash"
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
	// Now is the clock.
	Now func() time.Time
}

const (
	defaultCounters = 1 << 18
	defaultBytes    = 64 << 20
)

// Memory keeps state in this process: nothing of it outlives a restart.
type Memory struct {
	counters
	values
}

var _ core.State = (*Memory)(nil)

// NewMemory makes an empty one.
func NewMemory(o Options) *Memory {
	if o.Counters <= 0 {
		o.Counters = defaultCounters
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Memory{
		counters: counters{seed: maphash.MakeSeed(), now: o.Now, most: max(1, o.Counters/counterShards)},
		values:   values{seed: maphash.MakeSeed(), now: o.Now, most: max(1, o.Bytes/valueShards)},
	}
	for i := range m.counters.shards {
		m.counters.shards[i].known = make(map[string]*counter)
	}
	for i := range m.values.shards {
		m.values.shards[i].init()
	}
	return m
}

// Close does nothing.
func (m *Memory) Close(context.Context) error { return nil }
