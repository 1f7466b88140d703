package node

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/core/server"
)

// newDrainContext returns a context that ends after parent has ended and drain, if set by then, has returned. The gateway
// still serves while it drains, so everything that keeps it current must keep running.
func newDrainContext(parent context.Context, drain *atomic.Pointer[func()]) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if f := drain.Load(); f != nil {
			(*f)()
		}
		end()
	})
	return ctx, func() { stop(); end() }
}

// drainFor drains the gateway until the delay has passed, a second signal arrives or ctx ends.
func (g *gateway) drainFor(ctx context.Context, srv *server.Server, delay time.Duration) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	g.tel.Log.Info().Dur("delay", delay).Msg("draining")
	srv.Drain(ctx, delay)
}
