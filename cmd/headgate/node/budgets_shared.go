package node

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/state"
)

const (
	// seededKey is there as long as the shared counters hold what was spent before them. It goes when they are lost.
	seededKey = "budgets:seeded"
	// seededFor is how long it is there by itself; then budgets are looked at anew, which changes nothing.
	seededFor = 24 * time.Hour
	// seededEvery is the interval at which the key is checked.
	seededEvery = 5 * time.Second
)

// watchCounters tells counters that gateways share what was spent, whenever they have lost it, until ctx ends: a Redis
// that begins anew knows nothing, and a node of a fleet no more than what passed through itself.
func (g *gateway) watchCounters(ctx context.Context) {
	g.mu.Lock()
	shared := state.Shared(g.cfg.State.URL) && g.cfg.Role.Administers()
	g.mu.Unlock()
	if !shared {
		return
	}
	tick := time.NewTicker(seededEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := g.seedCountersAgain(ctx); err != nil && ctx.Err() == nil {
				g.tel.Log.Warn().Err(err).Msg("the counters of budgets could not be told what was spent; it is tried again")
			}
		}
	}
}

// seedCountersAgain tells the counters what was spent, when they have lost it.
func (g *gateway) seedCountersAgain(ctx context.Context) error {
	if _, ok, err := g.state.Get(ctx, seededKey); ok || err != nil {
		return err
	}
	g.mu.Lock()
	list := g.rt.Spending.List()
	g.mu.Unlock()
	if err := g.rec.writer.Sync(ctx); err != nil {
		return err
	}
	if err := g.seed(ctx, list); err != nil {
		return err
	}
	return g.state.Set(ctx, seededKey, []byte("1"), seededFor)
}
