package state

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

const holdShards = 16

// holds are this process's reservations on the server. It extends their expiry while it runs, so a hold lasts as long
// as its exchange, and at most Period beyond a kill of the process. A hold is here from the server's answer to the Take
// until its answer to the settlement. It must not be here sooner: a renewal that overtakes its Take would create a hold
// that the server has not granted, beyond the limit.
type holds struct {
	shards [holdShards]struct {
		sync.Mutex
		live map[uint64]*hold
	}
}

type hold struct {
	id    uint64
	name  string
	parts []part
	fresh time.Time // when the last command was sent that the server has confirmed
	ended bool      // a settlement was sent, or is about to be
}

// part is what is held of one counter.
type part struct {
	keys   []string
	cost   int64
	period time.Duration
	kept   int64
}

func (h *holds) init() {
	for i := range h.shards {
		h.shards[i].live = make(map[uint64]*hold)
	}
}

// add begins to renew what a Take that was sent at a time has taken.
func (h *holds) add(id uint64, name string, keys []string, limits []core.Limit, sent time.Time) {
	var parts []part
	for i := range limits {
		l := &limits[i]
		if l.Kind == core.Rate || l.Cost == 0 {
			continue
		}
		parts = append(parts, part{keys: keys[2*i : 2*i+2], cost: l.Cost, period: l.Period, kept: computeLifetime(l)})
	}
	if len(parts) == 0 {
		return
	}
	s := &h.shards[id%holdShards]
	s.Lock()
	s.live[id] = &hold{id: id, name: name, parts: parts, fresh: sent}
	s.Unlock()
}

// markEnded notes that a hold is about to be settled. It is renewed until the server has confirmed that, so that its
// room is not given away while a settlement waits for a server that is away.
func (h *holds) markEnded(id uint64) {
	s := &h.shards[id%holdShards]
	s.Lock()
	if x := s.live[id]; x != nil {
		x.ended = true
	}
	s.Unlock()
}

// remove forgets a hold that is settled.
func (h *holds) remove(id uint64) {
	s := &h.shards[id%holdShards]
	s.Lock()
	delete(s.live, id)
	s.Unlock()
}

// isRunning reports whether a hold is not settled, and no settlement of it was sent.
func (h *holds) isRunning(id uint64) bool {
	s := &h.shards[id%holdShards]
	s.Lock()
	defer s.Unlock()
	x := s.live[id]
	return x != nil && !x.ended
}

// renewal is a part that is due, and its hold.
type renewal struct {
	*hold
	part
}

// listDue returns the parts to renew: those last renewed a third of their period ago. All parts of a hold are renewed
// together, as they share one time.
func (h *holds) listDue(now time.Time) (due []renewal) {
	for i := range h.shards {
		s := &h.shards[i]
		s.Lock()
		for _, x := range s.live {
			if slices.ContainsFunc(x.parts, func(p part) bool { return now.Sub(x.fresh) >= p.period/3 }) {
				for _, p := range x.parts {
					due = append(due, renewal{x, p})
				}
			}
		}
		s.Unlock()
	}
	return due
}

// confirm notes that the server has renewed holds by a command that was sent at a time.
func (h *holds) confirm(renewed []renewal, sent time.Time) {
	for _, r := range renewed {
		s := &h.shards[r.id%holdShards]
		s.Lock()
		r.fresh = sent
		s.Unlock()
	}
}

// renewEvery is the interval at which holds are checked and failed renewals retried.
const renewEvery = 250 * time.Millisecond

func (r *Redis) renewHolds(ctx context.Context) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = r.renewDue(ctx, time.Now()) // what failed stays due
		}
	}
}

// renewBatch is how many parts of holds one command renews.
const renewBatch = 256

// renewDue renews the holds that are due at a time, up to the first failure. What has expired on the server is held
// again, unless it has been settled in the meantime.
func (r *Redis) renewDue(ctx context.Context, now time.Time) error {
	for batch := range slices.Chunk(r.held.listDue(now), renewBatch) {
		gone, err := r.renewBatch(ctx, batch, false)
		if err != nil {
			return err
		}
		// Holds that were settled are gone as well. Those that are still running have expired. If one of them is settled
		// before the next command arrives, the settlement leaves a mark, and the server does not hold it again.
		gone = slices.DeleteFunc(gone, func(x renewal) bool { return !r.held.isRunning(x.id) })
		if len(gone) > 0 {
			if _, err := r.renewBatch(ctx, gone, true); err != nil {
				return err
			}
		}
		r.held.confirm(batch, now)
	}
	return nil
}

// renewBatch renews holds with one command and returns those that the server does not know. With again it holds those
// again.
func (r *Redis) renewBatch(ctx context.Context, batch []renewal, again bool) (gone []renewal, err error) {
	mode := 0
	if again {
		mode = 1
	}
	keys, args := make([]string, 0, 2*len(batch)), append(make([]any, 0, 2+4*len(batch)), r.skew.Microseconds(), mode)
	for _, x := range batch {
		keys = append(keys, x.keys...)
		args = append(args, x.name, x.cost, x.period.Microseconds(), max(x.kept, (2*x.period).Milliseconds()))
	}
	missing, err := renewScript.Run(ctx, r.upkeep, keys, args...).Int64Slice()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	for _, i := range missing {
		if i < 1 || i > int64(len(batch)) {
			return nil, errReply
		}
		gone = append(gone, batch[i-1])
	}
	return gone, nil
}
