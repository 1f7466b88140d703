package outbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Store is where an Emitter puts events, and learns what is wanted: *store.DB on a node that has the database.
type Store interface {
	InsertEvents(ctx context.Context, events []store.WebhookEvent) error
	ListInterests(ctx context.Context) ([]store.Interest, error)
}

// EmitterOptions are what an emitter works with. Store is needed.
type EmitterOptions struct {
	Store Store
	// Stored is told after events were put into the outbox. May be nil.
	Stored func()
	// OnError hears of a batch that could not be written, and is tried again, and of an event that is none. May be nil.
	OnError func(err error)
	Now     func() time.Time // default time.Now
}

// The queue of an emitter, and what is written at once.
const (
	queueLength = 4096
	batchLength = 256
	retryPause  = 250 * time.Millisecond
	gather      = 20 * time.Millisecond
)

// Emitter takes the events of the traffic. Emit never waits: when the store cannot keep up, events are dropped and
// counted. Its methods may be called from any goroutine.
type Emitter struct {
	o       EmitterOptions
	queue   chan Event
	wanted  atomic.Pointer[map[store.Interest]struct{}]
	dropped atomic.Int64
	stored  atomic.Int64
	quit    chan struct{}
	gone    chan struct{}
	once    sync.Once
	ctx     context.Context // its end ends the writing
	cancel  context.CancelFunc
}

// NewEmitter starts an emitter. It knows of no subscriptions before the first Refresh.
func NewEmitter(o EmitterOptions) *Emitter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if o.Stored == nil {
		o.Stored = func() {}
	}
	e := &Emitter{o: o, queue: make(chan Event, queueLength), quit: make(chan struct{}), gone: make(chan struct{})}
	e.wanted.Store(&map[store.Interest]struct{}{})
	e.ctx, e.cancel = context.WithCancel(context.Background())
	go e.run()
	return e
}

// Refresh learns what subscriptions want.
func (e *Emitter) Refresh(ctx context.Context) error {
	list, err := e.o.Store.ListInterests(ctx)
	if err != nil {
		return err
	}
	wanted := make(map[store.Interest]struct{}, len(list))
	for _, i := range list {
		wanted[i] = struct{}{}
	}
	e.wanted.Store(&wanted)
	return nil
}

// Idle reports that nobody has subscribed to anything. It costs one look-up.
func (e *Emitter) Idle() bool { return len(*e.wanted.Load()) == 0 }

// Wants reports whether somebody has subscribed to a type of event for a tenant.
func (e *Emitter) Wants(typ, tenant string) bool {
	wanted := *e.wanted.Load()
	if len(wanted) == 0 {
		return false
	}
	if _, ok := wanted[store.Interest{Type: typ}]; ok {
		return true
	}
	_, ok := wanted[store.Interest{Type: typ, Tenant: tenant}]
	return ok
}

// Emit queues an event if somebody wants it. It keeps the data: nothing in there may change later.
func (e *Emitter) Emit(ev Event) {
	if !e.Wants(ev.Type, ev.Tenant) {
		return
	}
	if ev.At.IsZero() {
		ev.At = e.o.Now()
	}
	select {
	case e.queue <- ev:
	default:
		e.dropped.Add(1)
	}
}

// Counts are how many events were stored, and how many were dropped because the store could not keep up.
func (e *Emitter) Counts() (stored, dropped int64) { return e.stored.Load(), e.dropped.Load() }

// Close writes what waits. What cannot be written until ctx ends is dropped.
func (e *Emitter) Close(ctx context.Context) {
	e.once.Do(func() { close(e.quit) })
	select {
	case <-e.gone:
	case <-ctx.Done():
		e.cancel()
		<-e.gone
	}
	e.cancel()
}

func (e *Emitter) run() {
	defer close(e.gone)
	batch := make([]store.WebhookEvent, 0, batchLength)
	for {
		select {
		case ev := <-e.queue:
			batch = e.take(batch[:0], &ev)
			select {
			case <-time.After(gather): // for company
			case <-e.quit:
			}
		case <-e.quit:
			for {
				if batch = e.collect(batch[:0]); len(batch) == 0 {
					return
				}
				e.write(batch)
			}
		}
		e.write(e.collect(batch))
	}
}

// collect takes what waits, up to a whole batch.
func (e *Emitter) collect(batch []store.WebhookEvent) []store.WebhookEvent {
	for len(batch) < batchLength {
		select {
		case ev := <-e.queue:
			batch = e.take(batch, &ev)
		default:
			return batch
		}
	}
	return batch
}

func (e *Emitter) take(batch []store.WebhookEvent, ev *Event) []store.WebhookEvent {
	r, err := ev.record()
	if err != nil { // a mistake of ours
		e.dropped.Add(1)
		e.o.OnError(err)
		return batch
	}
	return append(batch, r)
}

// write puts a batch into the outbox, however long the store is away.
func (e *Emitter) write(batch []store.WebhookEvent) {
	for len(batch) > 0 {
		err := e.o.Store.InsertEvents(e.ctx, batch)
		if err == nil {
			e.stored.Add(int64(len(batch)))
			e.o.Stored()
			return
		}
		e.o.OnError(err)
		select {
		case <-time.After(retryPause):
		case <-e.ctx.Done():
			e.dropped.Add(int64(len(batch)))
			return
		}
	}
}
