package node

import (
	"context"
	"sync"
)

// joinFleet follows the rest of the fleet until ctx ends: a node polls its control plane, and processes that share
// state listen for change notices.
func (g *gateway) joinFleet(ctx context.Context, running *sync.WaitGroup) {
	n := g.flags.replica
	if n == nil {
		running.Go(func() { g.watchChanges(ctx, g.requestRefresh) })
		return
	}
	hurry := make(chan struct{}, 1)
	running.Go(func() {
		g.watchChanges(ctx, func() {
			select {
			case hurry <- struct{}{}:
			default: // a check is already due
			}
		})
	})
	running.Go(func() { n.forward(ctx, g.rec) })
	running.Go(func() {
		n.follow(ctx, g.rec.DB, hurry, func(t fleetUpdate) {
			g.requestRefresh()
			if t.site {
				g.note("the control plane's configuration changed")
			}
		})
	})
}

// requestRefresh makes the gateway apply changed records.
func (g *gateway) requestRefresh() {
	select {
	case g.wake <- struct{}{}:
	default: // a check is already due
	}
}
