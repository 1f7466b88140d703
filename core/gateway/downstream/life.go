package downstream

import (
	"context"
	"sync"
)

// life is the context of a request: it ends with the request, or when the client leaves. Hardly anybody asks for its
// end, so what is needed to tell it is made for the first who does.
type life struct {
	context.Context // of the connection
	mu              sync.Mutex
	err             error
	inner           context.Context
	cancel          context.CancelFunc
}

// Done is closed when the request has ended.
func (l *life) Done() <-chan struct{} { return l.told().Done() }

// Err says that the request has ended.
func (l *life) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// AfterFunc calls f in a goroutine of its own when the request has ended; see context.AfterFunc, which calls it.
func (l *life) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(l.told(), f) }

// told is a context that ends as this does.
func (l *life) told() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner == nil {
		l.inner, l.cancel = context.WithCancel(l.Context)
		if l.err != nil {
			l.cancel()
		}
	}
	return l.inner
}

func (l *life) end() {
	l.mu.Lock()
	l.err = context.Canceled
	cancel := l.cancel
	l.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
