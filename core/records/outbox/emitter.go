package outbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Store stores events and lists what webhooks subscribe to. On a node with a database it is *store.DB.
type Store interface {
	InsertEvents(ctx context.Context, events []store.WebhookEvent) error
	ListInterests(ctx context.Context) ([]store.Interest, error)
}

// EmitterOptions configure an Emitter. Store is required.
type EmitterOptions struct {
	Store Store
	// Stored is called after events were written to the outbox. Optional.
	Stored func()
	// OnError receives the error of a batch that could not be written, which is retried, and of an invalid event.
	// Optional.
	OnError func(err error)
	Now     func() time.Time // default time.Now
}

// The capacity of the queue, and the size of a batch.
const (
	queueLength = 4096
	batchLength = 256
	retryPause  = 250 * time.Millisecond
	gather      = 20 * time.Millisecond
)

// Emitter queues the events of traffic. Emit never blocks: if the store cannot keep up, the emitter drops and counts
// events. It is safe for concurrent use.
type Emitter struct {
	o       EmitterOptions
	queue   chan Event
	wanted  atomic.Pointer[map[store.Interest]struct{}]
	dropped atomic.Int64
	stored  atomic.Int64
	quit    chan struct{}
	gone    chan struct{}
	once    sync.Once
	ctx     context.Context // cancelled to stop writing
	cancel  context.CancelFunc
}

// NewEmitter starts an emitter. Until the first Refresh it assumes that there are no subscriptions.
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

// Refresh loads what webhooks subscribe to.
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

// IsIdle reports whether there are no subscriptions at all. It costs one lookup.
func (e *Emitter) IsIdle() bool { return len(*e.wanted.Load()) == 0 }

// Wants reports whether a webhook subscribes to a type of event for a tenant.
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

// Emit queues an event if a webhook subscribes to it. It retains the data, which must not change afterwards.
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

// Counts returns how many events were stored, and how many were dropped because the store could not keep up.
func (e *Emitter) Counts() (stored, dropped int64) { return e.stored.Load(), e.dropped.Load() }

// Close writes what is queued. It drops what cannot be written before ctx ends.
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
			batch = e.appendEvent(batch[:0], &ev)
			select {
			case <-time.After(gather): // let more events gather
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

// collect takes queued events, up to a full batch.
func (e *Emitter) collect(batch []store.WebhookEvent) []store.WebhookEvent {
	for len(batch) < batchLength {
		select {
		case ev := <-e.queue:
			batch = e.appendEvent(batch, &ev)
		default:
			return batch
		}
	}
	return batch
}

func (e *Emitter) appendEvent(batch []store.WebhookEvent, ev *Event) []store.WebhookEvent {
	r, err := ev.encode()
	if err != nil { // a programming error
		e.dropped.Add(1)
		e.o.OnError(err)
		return batch
	}
	return append(batch, r)
}

// write writes a batch to the outbox and retries until the store is back.
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
