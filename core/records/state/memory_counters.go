package state

import (
	"context"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// counterShards is the number of locks; one word holds a bit for each.
const counterShards = 64

const maxLimits = core.MaxLimits

// counters stores counters in memory. A Take locks only the shards of its limits, in order.
type counters struct {
	seed   maphash.Seed
	now    func() time.Time
	most   int // maximum per shard
	shards [counterShards]counterShard
}

type counterShard struct {
	mu    sync.Mutex
	known map[string]*counter
	sweep int      // size at which dead counters are removed
	_     [24]byte // pads to a cache line
}

// counter is a counter of any kind. Times are microseconds since 1970.
type counter struct {
	kind  core.LimitKind
	clear int64 // Rate: when the counter is empty again
	held  int64
	spent int64
	ends  int64 // Spend
}

// isDead reports whether the counter is equivalent to a missing one.
func (c *counter) isDead(now int64) bool {
	switch c.kind {
	case core.Rate:
		return c.clear <= now
	case core.Concurrent:
		return c.held == 0
	}
	return c.held == 0 && c.ends <= now
}

// locked holds the counters of one Take or Settle, with their shards locked.
type locked struct {
	mask  uint64
	shard [maxLimits]uint8
	found [maxLimits]*counter
}

func (m *counters) lock(limits []core.Limit, k *locked) error {
	if len(limits) > maxLimits {
		return errMany
	}
	for i := range limits {
		l := &limits[i]
		if l.Kind == 0 || l.Kind > core.Spend {
			return errKind
		}
		if l.Cost < 0 || l.Max < 0 || l.Actual < 0 {
			return errCost
		}
		k.shard[i] = uint8(maphash.String(m.seed, l.Key) % counterShards)
		k.mask |= 1 << k.shard[i]
	}
	for s := k.mask; s != 0; s &= s - 1 {
		m.shards[bits.TrailingZeros64(s)].mu.Lock()
	}
	for i := range limits {
		k.found[i] = m.shards[k.shard[i]].known[limits[i].Key]
	}
	return nil
}

func (m *counters) unlock(k *locked) {
	for s := k.mask; s != 0; s &= s - 1 {
		m.shards[bits.TrailingZeros64(s)].mu.Unlock()
	}
}

// make creates the counter of a limit.
func (m *counters) make(k *locked, i int, l *core.Limit, now int64) *counter {
	s := &m.shards[k.shard[i]]
	c := s.known[l.Key] // created by an earlier limit of this call
	if c == nil {
		c = &counter{kind: l.Kind}
		if l.Kind == core.Spend {
			c.ends = l.Ends.UnixMicro()
		}
		s.known[l.Key] = c
		if len(s.known) >= s.sweep {
			s.clean(now, k, c)
		}
	}
	k.found[i] = c
	return c
}

// clean removes dead counters, except the new one and those that the current Take is about to increase. It runs when
// the number has doubled since the last run, so its cost per new counter is constant.
func (s *counterShard) clean(now int64, k *locked, fresh *counter) {
	for key, c := range s.known {
		if c.isDead(now) && c != fresh && !slices.Contains(k.found[:], c) {
			delete(s.known, key)
		}
	}
	s.sweep = max(256, 2*len(s.known))
}

// isFull reports whether a shard has no room for another counter.
func (m *counters) isFull(k *locked, shard uint8, now int64) bool {
	s := &m.shards[shard]
	if len(s.known) < m.most {
		return false
	}
	s.clean(now, k, nil)
	return len(s.known) >= m.most
}

// Take takes from all limits or from none; see core.Counters.
func (m *counters) Take(_ context.Context, limits []core.Limit) (ok bool, err error) {
	var k locked
	if err = m.lock(limits, &k); err != nil {
		return false, err
	}
	defer m.unlock(&k)
	now := m.now().UnixMicro()
	ok = true
	for i := range limits {
		if k.found[i] == nil && m.isFull(&k, k.shard[i], now) {
			return false, core.ErrStateFull
		}
		l := &limits[i]
		l.Short = l.Cost > 0 && !hasRoom(l, k.found[i], now)
		ok = ok && !l.Short
	}
	for i := range limits {
		l, c := &limits[i], k.found[i]
		if ok && l.Cost > 0 {
			if c == nil {
				c = m.make(&k, i, l, now)
			}
			if l.Kind == core.Rate {
				c.clear = max(c.clear, now) + newPace(l).put
			} else {
				c.held += l.Cost
			}
		}
		fillLimit(l, c, now)
	}
	return ok, nil
}

// hasRoom reports whether a counter has room for the limit's cost.
func hasRoom(l *core.Limit, c *counter, now int64) bool {
	var none counter
	if c == nil {
		c = &none
	}
	if l.Kind == core.Rate {
		p := newPace(l)
		return max(c.clear-now, 0)+p.put <= p.tolerance
	}
	used := c.spent + c.held
	return used <= l.Max && l.Cost <= l.Max-used
}

func fillLimit(l *core.Limit, c *counter, now int64) {
	var none counter
	if c == nil {
		c = &none
	}
	if l.Kind == core.Rate {
		newPace(l).fill(l, c.clear-now)
		return
	}
	l.Left, l.Spent, l.Wait, l.Reset = l.Max-c.spent-c.held, c.spent, 0, 0
	if l.Kind == core.Concurrent {
		l.Spent = c.held
	}
}

// Settle replaces what was taken by what was used; see core.Counters.
func (m *counters) Settle(_ context.Context, limits []core.Limit) error {
	var k locked
	if err := m.lock(limits, &k); err != nil {
		return err
	}
	defer m.unlock(&k)
	now := m.now().UnixMicro()
	for i := range limits {
		l, c := &limits[i], k.found[i]
		if c == nil && (l.Kind != core.Concurrent && l.Actual > 0) {
			c = m.make(&k, i, l, now)
		}
		if c != nil {
			switch l.Kind {
			case core.Rate:
				c.clear = computeClearTime(l, c.clear, now)
			case core.Concurrent:
				c.held = max(0, c.held-l.Cost)
			case core.Spend:
				c.held = max(0, c.held-l.Cost)
				c.spent += l.Actual
			}
		}
		l.Short = false
		fillLimit(l, c, now)
	}
	return nil
}

// computeClearTime returns when the counter is empty again if Actual replaces Cost.
func computeClearTime(l *core.Limit, clear, now int64) int64 {
	by := measureSpan(l, l.Actual) - newPace(l).put
	if by > 0 {
		return max(clear, now) + by
	}
	return clear + by
}

// Seed sets what a counter had spent before; see core.Counters.
func (m *counters) Seed(_ context.Context, key string, spent int64, ends time.Time) error {
	l := [1]core.Limit{{Kind: core.Spend, Key: key, Ends: ends, Actual: spent}}
	var k locked
	if err := m.lock(l[:], &k); err != nil {
		return err
	}
	defer m.unlock(&k)
	c := k.found[0]
	if c == nil {
		c = m.make(&k, 0, &l[0], m.now().UnixMicro())
	}
	c.spent = max(c.spent, spent)
	return nil
}
