package socket

import (
	"context"
	"sync"

	"github.com/coder/websocket"
)

// maxBacklog is the most bytes of a provider's events that wait in a session. The gateway then reads no more of them until
// some have left, so that a client that reads slowly slows down its provider.
const maxBacklog = 1 << 20

// backlog counts the bytes of a provider's events from their arrival until they have been relayed, or read by the exchange
// of a response. They count against the memory of the tenant's sockets as well.
type backlog struct {
	s      *Sockets
	tenant string
	freed  chan struct{} // has an element if bytes were given back since acquire looked
	mu     sync.Mutex
	bytes  int64
}

// heldEvent is an event that waits for the exchange of a response.
type heldEvent struct {
	raw  []byte
	size int64 // bytes that the backlog counts for it
}

func newBacklog(s *Sockets, tenant string) *backlog {
	return &backlog{s: s, tenant: tenant, freed: make(chan struct{}, 1)}
}

// acquire counts an event. It waits while others of the session take up maxBacklog; an event that is larger by itself waits
// for all of them. It returns errFull if the sockets of the tenant have no memory left. Only one goroutine may call it.
func (b *backlog) acquire(ctx context.Context, n int64) error {
	for !b.tryAcquire(n) {
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !b.s.reserve(b.tenant, n) {
		b.mu.Lock()
		b.bytes -= n
		b.mu.Unlock()
		return errFull
	}
	return nil
}

func (b *backlog) tryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes > 0 && b.bytes+n > maxBacklog {
		return false
	}
	b.bytes += n
	return true
}

// release gives back what was counted for an event.
func (b *backlog) release(n int64) {
	b.s.reserve(b.tenant, -n)
	b.mu.Lock()
	b.bytes -= n
	b.mu.Unlock()
	select {
	case b.freed <- struct{}{}:
	default:
	}
}

// readEvents reads the provider's events until its socket ends.
func (l *live) readEvents(ctx context.Context) {
	defer close(l.incoming)
	for {
		ev, err := l.up.Read(ctx)
		if err == nil {
			err = l.backlog.acquire(ctx, int64(len(ev)))
		}
		if err != nil {
			if err == errFull {
				l.close(websocket.StatusTryAgainLater, "the sockets of this tenant hold too many bytes; try again later")
			}
			return
		}
		select {
		case l.incoming <- ev:
		case <-ctx.Done():
			l.backlog.release(int64(len(ev)))
			return
		}
	}
}

// relayCounted relays an event and stops counting it, unless the exchange of a response has yet to read it.
func (l *live) relayCounted(ctx context.Context, ev []byte) bool {
	size := int64(len(ev))
	l.fed = false
	goesOn := l.relay(ctx, ev)
	if !l.fed {
		l.backlog.release(size)
	}
	return goesOn
}

// dropIncoming gives back what is counted for events that are not relayed any more. It waits for listen to end.
func (l *live) dropIncoming() {
	l.cancel()
	for ev := range l.incoming {
		l.backlog.release(int64(len(ev)))
	}
}

// dropEvents gives back what is counted for events that the exchange of the response has not read.
func (r *reply) dropEvents(b *backlog) {
	for {
		select {
		case ev, ok := <-r.events:
			if !ok {
				return
			}
			b.release(ev.size)
		default:
			return
		}
	}
}
