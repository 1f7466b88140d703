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
	Secret, Previous string // Secret "" means that the call is not signed; Previous is "" unless the secret is being rotated
	Type, Delivery   string
	Attempt          int
	Body             []byte
}

// Sender signs and sends a call. nil means that the subscriber accepted it. Errors must not contain the URL or the
// subscriber's response.
type Sender interface {
	Send(ctx context.Context, c Call) (status int, err error)
}

// Box opens the secrets of subscriptions.
type Box interface {
	Open(sealed []byte, context string) ([]byte, error)
}

// Options configure a Dispatcher. Store, Box and Sender are required; any other zero field takes its default.
type Options struct {
	Store   *store.DB
	Box     Box
	Sender  Sender
	Backoff Backoff
	Calls   int           // concurrent calls to one subscriber from this node; default 4
	Timeout time.Duration // per call; default 10 s
	Lease   time.Duration // how long a delivery is reserved for this node; default three times the timeout
	Every   time.Duration // how often to poll for other nodes' deliveries and retries; default 1 s
	// Delivered and Dead are how long the log keeps successful and abandoned deliveries. The defaults are 7 and 30
	// days.
	Delivered, Dead time.Duration
	OnError         func(err error)
	Now             func() time.Time
	Chance          func() float64 // returns jitter in [0, 1)
}

// Dispatcher sends the deliveries in the outbox.
type Dispatcher struct {
	o       Options
	node    string
	wake    chan struct{}
	done    chan store.DeliveryResult
	busy    map[string]int // calls in flight, by subscription
	under   int            // calls in flight
	pruned  time.Time
	workers sync.WaitGroup
}

// NewDispatcher returns a dispatcher. Run starts it.
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
	_, _ = rand.Read(id[:]) // rand.Read never fails
	return &Dispatcher{
		o: o, node: hex.EncodeToString(id[:]), wake: make(chan struct{}, 1), done: make(chan store.DeliveryResult, 64), busy: map[string]int{},
	}
}

// Wake tells the dispatcher that the outbox has new events.
func (d *Dispatcher) Wake() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// pruneEvery is the interval at which old deliveries are removed.
const pruneEvery = 10 * time.Minute

// Run delivers until ctx ends. It then cancels the calls in flight and waits for them.
func (d *Dispatcher) Run(ctx context.Context) {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	tick := time.NewTicker(d.o.Every)
	defer tick.Stop()
	for {
		if err := d.startDeliveries(ctx, sending); err != nil && ctx.Err() == nil {
			d.o.OnError(err)
		}
		select {
		case <-ctx.Done():
			stop()
			d.drain(context.WithoutCancel(ctx))
			return
		case r := <-d.done:
			d.storeResults(ctx, r)
		case <-d.wake:
		case <-tick.C:
			d.prune(ctx)
		}
	}
}

// startDeliveries leases as many deliveries as the limits allow and sends them.
func (d *Dispatcher) startDeliveries(ctx, sending context.Context) error {
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

// storeResults stores the result of a call, and of all others that have ended by then.
func (d *Dispatcher) storeResults(ctx context.Context, first store.DeliveryResult) {
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
	// A result that cannot be stored leaves the delivery leased: it is sent again when the lease expires.
	if err := d.o.Store.Outbox().SaveResults(ctx, results); err != nil {
		d.o.OnError(err)
	}
}

// bookTime is the timeout for storing the last results.
const bookTime = 5 * time.Second

func (d *Dispatcher) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	for d.under > 0 {
		d.storeResults(ctx, <-d.done)
	}
	d.workers.Wait()
}

// prune removes deliveries whose retention has passed.
func (d *Dispatcher) prune(ctx context.Context) {
	now := d.o.Now()
	if now.Sub(d.pruned) < pruneEvery {
		return
	}
	const most = 1000 // small enough to delay other writers by milliseconds only
	n, err := d.o.Store.Outbox().Prune(ctx, now.Add(-d.o.Delivered), now.Add(-d.o.Dead), most)
	switch {
	case err != nil && ctx.Err() == nil:
		d.o.OnError(err)
	case n < most: // fewer than most: nothing is left
		d.pruned = now
	}
}
