package node

import (
	"context"
	"sync"
)

// joinFleet has the gateway follow the others of its fleet until ctx ends: a node its
// control plane, and all those who share their state the notices of changes.
func (g *gateway) joinFleet(ctx context.Context, running *sync.WaitGroup) {
	n := g.flags.replica
	if n == nil {
		running.Go(func() { g.hearChanges(ctx, g.changedHere) })
		return
	}
	hurry := make(chan struct{}, 1)
	running.Go(func() {
		g.hearChanges(ctx, func() {
			select {
			case hurry <- struct{}{}:
			default: // it is about to look
			}
		})
	})
	running.Go(func() { n.forward(ctx, g.rec) })
	running.Go(func() {
		n.follow(ctx, g.rec.DB, hurry, func(t taken) {
			g.changedHere()
			if t.site {
				g.note("the control plane's configuration changed")
			}
		})
	})
}

// changedHere has changed records taken up.
func (g *gateway) changedHere() {
	select {
	case g.wake <- struct{}{}:
	default: // they are being looked for already
	}
}
