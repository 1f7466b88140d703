package downstream

import (
	"context"
	"sync"
)

// requestContext is the context of a request: it ends with the request or when the client hangs up. Few handlers wait
// for the end, so the channel is created for the first one that does.
type requestContext struct {
	context.Context // of the connection
	mu              sync.Mutex
	err             error
	inner           context.Context
	cancel          context.CancelFunc
}

// Done is closed when the request has ended.
func (l *requestContext) Done() <-chan struct{} { return l.deriveContext().Done() }

// Err returns context.Canceled once the request has ended.
func (l *requestContext) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// AfterFunc calls f in its own goroutine when the request has ended; context.AfterFunc uses it.
func (l *requestContext) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(l.deriveContext(), f)
}

// deriveContext returns a context that ends with this one.
func (l *requestContext) deriveContext() context.Context {
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

func (l *requestContext) end() {
	l.mu.Lock()
	l.err = context.Canceled
	cancel := l.cancel
	l.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
