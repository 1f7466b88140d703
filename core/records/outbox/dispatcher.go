package outbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Call is one call to a subscriber.
type Call struct {
	URL              string
	Secret, Previous string // Previous "": none is being replaced
	Type, Delivery   string
	Attempt          int
	Body             []byte
}

// Sender makes a call: it signs it, and says what came back. An error is in words of its own, without the URL and
// without what the other side wrote; nil means that the subscriber has taken it.
type Sender interface {
	Send(ctx context.Context, c Call) (status int, err error)
}

// Box opens secrets of subscriptions.
type Box interface {
	Open(sealed []byte, context string) ([]byte, error)
}

// Options are what a dispatcher works with. Store, Box and Sender are needed; a zero field takes the default.
type Options struct {
	Store   *store.DB
	Box     Box
	Sender  Sender
	Backoff Backoff
	Calls   int           // at once to one subscriber, from this node; default 4
	Timeout time.Duration // of one call; default 10 s
	Lease   time.Duration // how long a delivery is this node's; default three times the timeout
	Every   time.Duration // how often is looked for deliveries of others, and such that are due again; default 1 s
	// Delivered and Dead are how long the log keeps deliveries of either end; defaults 7 and 30 days.
	Delivered, Dead time.Duration
	OnError         func(err error)
	Now             func() time.Time
	Chance          func() float64 // for the jitter, in [0, 1)
}

// Dispatcher delivers what is in the outbox.
type Dispatcher struct {
	o       Options
	node    string
	wake    chan struct{}
	done    chan store.DeliveryResult
	busy    map[string]int // calls under way, by subscription
	under   int            // calls under way
	pruned  time.Time
	workers sync.WaitGroup
}

// NewDispatcher makes a dispatcher; Run starts it.
func NewDispatcher(o Options) *Dispatcher {
	o.Backoff.fill()
	for _, d := range []struct {
		v *time.Duration
		d time.Duration
	}{
		{&o.Timeout, 10 * time.Second}, {&o.Every, time.Second}, {&o.Delivered, 7 * 24 * time.Hour}, {&o.Dead, 30 * 24 * time.Hour},
	} {
		if *d.v <= 0 {
			*d.v = d.d
		}
	}
	if o.Lease <= 0 {
		o.Lease = 3 * o.Timeout
	}
	if o.Calls <= 0 {
		o.Calls = 4
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chance == nil {
		o.Chance = mathrand.Float64
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	return &Dispatcher{
		o: o, node: hex.EncodeToString(id[:]), wake: make(chan struct{}, 1), done: make(chan store.DeliveryResult, 64), busy: map[string]int{},
	}
}

// Wake says that something was put into the outbox.
func (d *Dispatcher) Wake() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// pruneEvery is how often old deliveries are looked for.
const pruneEvery = 10 * time.Minute

// Run delivers until ctx ends, and then waits for the calls that are under way, which it ends.
func (d *Dispatcher) Run(ctx context.Context) {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	tick := time.NewTicker(d.o.Every)
	defer tick.Stop()
	for {
		if err := d.start(ctx, sending); err != nil && ctx.Err() == nil {
			d.o.OnError(err)
		}
		select {
		case <-ctx.Done():
			stop()
			d.drain(context.WithoutCancel(ctx))
			return
		case r := <-d.done:
			d.book(ctx, r)
		case <-d.wake:
		case <-tick.C:
			d.prune(ctx)
		}
	}
}

// start takes deliveries as far as there is room, and has them sent.
func (d *Dispatcher) start(ctx, sending context.Context) error {
	due, err := d.o.Store.Outbox().CountDue(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for id := range due {
		room := d.o.Calls - d.busy[id]
		if room <= 0 {
			continue
		}
		w, list, err := d.o.Store.Outbox().Lease(ctx, id, d.node, d.o.Now().Add(d.o.Lease), room)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range list {
			d.busy[id]++
			d.under++
			d.workers.Go(func() { d.done <- d.deliver(sending, &w, &list[i]) })
		}
	}
	return errors.Join(errs...)
}

// book stores what came of a call, and of those that ended with it.
func (d *Dispatcher) book(ctx context.Context, first store.DeliveryResult) {
	results := []store.DeliveryResult{first}
	for more := true; more && len(results) < cap(d.done); {
		select {
		case r := <-d.done:
			results = append(results, r)
		default:
			more = false
		}
	}
	for i := range results {
		d.under--
		if id := results[i].Webhook; d.busy[id] <= 1 {
			delete(d.busy, id)
		} else {
			d.busy[id]--
		}
	}
	// What cannot be booked is sent once more when its lease is over.
	if err := d.o.Store.Outbox().Settle(ctx, results); err != nil {
		d.o.OnError(err)
	}
}

// bookTime bounds the booking of the last calls.
const bookTime = 5 * time.Second

func (d *Dispatcher) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	for d.under > 0 {
		d.book(ctx, <-d.done)
	}
	d.workers.Wait()
}

// prune removes what the log need not keep any longer.
func (d *Dispatcher) prune(ctx context.Context) {
	now := d.o.Now()
	if now.Sub(d.pruned) < pruneEvery {
		return
	}
	const most = 1000 // few enough that others wait for milliseconds only
	n, err := d.o.Store.Outbox().Prune(ctx, now.Add(-d.o.Delivered), now.Add(-d.o.Dead), most)
	switch {
	case err != nil && ctx.Err() == nil:
		d.o.OnError(err)
	case n < most: // else there may be more
		d.pruned = now
	}
}
