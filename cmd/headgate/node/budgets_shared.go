package node

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/state"
)

const (
	// seededKey exists in the shared state as long as its counters include earlier spending. It disappears if the state
	// is lost.
	seededKey = "budgets:seeded"
	// seededFor is the expiry of the key. Seeding again after it expires changes nothing.
	seededFor = 24 * time.Hour
	// seededEvery is the interval at which the key is checked.
	seededEvery = 5 * time.Second
)

// watchCounters seeds shared counters with earlier spending whenever the state was lost, until ctx ends: a fresh Redis
// knows no spending, and a node of a fleet only its own.
func (g *gateway) watchCounters(ctx context.Context) {
	g.mu.Lock()
	shared := state.IsShared(g.cfg.State.URL) && g.cfg.Role.Administers()
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

// seedCountersAgain seeds the counters if the state was lost.
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
	if err := g.seedBudgets(ctx, list); err != nil {
		return err
	}
	return g.state.Set(ctx, seededKey, []byte("1"), seededFor)
}
