package node

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/server"
)

// run keeps the gateway current until ctx ends.
func (g *gateway) run(ctx context.Context, srv *server.Server, hup <-chan os.Signal, changed <-chan string) error {
	ctx, cancel := context.WithCancel(ctx)
	var keys sync.WaitGroup
	keys.Go(func() { g.refreshRecords(ctx) })
	g.joinFleet(ctx, &keys)
	if g.role() != config.RoleConsole {
		keys.Go(func() { g.watchCosts(ctx) })
		keys.Go(func() { g.watchCounters(ctx) })
		keys.Go(func() { g.consents.run(ctx) })
		keys.Go(func() { g.pins.run(ctx) })
	}
	keys.Go(func() { g.newRetention().watch(ctx) })
	defer keys.Wait()
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-srv.ListenerErrors():
			return fmt.Errorf("serve: %w", err)
		case <-hup:
			_ = g.reload(ctx, "SIGHUP") // the log and the status report errors
		case why := <-changed:
			_ = g.reload(ctx, why) // the log and the status report errors
		}
	}
}

// sweepEvery is the interval at which expired placeholders, sessions and counters are removed.
const sweepEvery = 10 * time.Minute

// refreshRecords applies changed records and removes expired ones until ctx ends. It does not wait for reloads: a slow
// compilation must not delay a new key.
func (g *gateway) refreshRecords(ctx context.Context) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	sweep := time.NewTimer(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.wake:
			g.applyChangedRecords(ctx)
		case <-tick.C:
			g.applyChangedRecords(ctx)
		case <-sweep.C:
			removed, err := g.rec.vault.Expire(ctx, g.rec.clock.Now())
			if err != nil && ctx.Err() == nil {
				g.tel.Log.Error().Err(err).Msg("expired placeholders could not be removed; will retry")
			}
			if _, err := g.rec.DB.Sessions().Sweep(ctx); err != nil && ctx.Err() == nil {
				g.tel.Log.Error().Err(err).Msg("expired sessions could not be removed; will retry")
			}
			if err := g.rec.DB.Usage().SweepPace(ctx); err != nil && ctx.Err() == nil {
				g.tel.Log.Error().Err(err).Msg("old traffic counters could not be removed; will retry")
			}
			next := sweepEvery
			if removed > 0 {
				next = keysEvery // there may be more
			}
			sweep.Reset(next)
		}
	}
}

// applyChangedRecords applies changed records and notifies processes that share the state.
func (g *gateway) applyChangedRecords(ctx context.Context) {
	before := g.configVersion()
	if err := g.refresh(ctx); err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("changed records could not be read; the last ones stay in force")
	}
	if g.configVersion() != before {
		g.notifyNodes(ctx)
	}
}

func (g *gateway) configVersion() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.version
}
