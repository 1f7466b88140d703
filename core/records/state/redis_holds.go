package state

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

const holdShards = 16

// holds are this process's reservations on the server. It extends their expiry while it runs, so a hold lasts as long
// as its exchange, and at most Period beyond a kill of the process.
type holds struct {
	shards [holdShards]struct {
		sync.Mutex
		live map[uint64]*hold
	}
}

type hold struct {
	parts []part
	fresh time.Time // last renewal on the server
}

// part is what is held of one counter.
type part struct {
	keys   []string
	member string
	cost   int64
	period time.Duration
	kept   int64
}

func (h *holds) init() {
	for i := range h.shards {
		h.shards[i].live = make(map[uint64]*hold)
	}
}

func (h *holds) add(id uint64, name string, keys []string, limits []core.Limit) {
	var parts []part
	for i := range limits {
		l := &limits[i]
		if l.Kind == core.Rate || l.Cost == 0 {
			continue
		}
		parts = append(parts, part{
			keys: keys[2*i : 2*i+2], member: name + ":" + strconv.FormatInt(l.Cost, 10), cost: l.Cost, period: l.Period, kept: keepFor(l),
		})
	}
	if len(parts) == 0 {
		return
	}
	s := &h.shards[id%holdShards]
	s.Lock()
	s.live[id] = &hold{parts, time.Now()}
	s.Unlock()
}

func (h *holds) remove(id uint64) {
	s := &h.shards[id%holdShards]
	s.Lock()
	delete(s.live, id)
	s.Unlock()
}

// due returns the parts to renew: those last renewed a third of their period ago.
func (h *holds) due(now time.Time) (due []part) {
	for i := range h.shards {
		s := &h.shards[i]
		s.Lock()
		for _, x := range s.live {
			told := false
			for _, p := range x.parts {
				if now.Sub(x.fresh) >= p.period/3 {
					due, told = append(due, p), true
				}
			}
			if told {
				x.fresh = now
			}
		}
		s.Unlock()
	}
	return due
}

// renewEvery is the interval at which holds are checked and failed renewals retried.
const renewEvery = 250 * time.Millisecond

func (r *Redis) renew(ctx context.Context) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for batch := range slices.Chunk(r.held.due(now), renewBatch) {
				keys, args := make([]string, 0, 2*len(batch)), append(make([]any, 0, 1+4*len(batch)), r.skew.Microseconds())
				for _, p := range batch {
					keys = append(keys, p.keys...)
					args = append(args, p.member, p.cost, p.period.Microseconds(), max(p.kept, (2*p.period).Milliseconds()))
				}
				// On failure the next round retries, and the script re-creates the hold.
				_ = renewScript.Run(ctx, r.client, keys, args...).Err()
			}
		}
	}
}

// renewBatch is how many holds one command renews.
const renewBatch = 256
