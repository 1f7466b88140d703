package console

import (
	"context"
	"sync"
	"time"
)

const (
	// memoTimes is the lifetime of a value as a multiple of the time that computing it took, up to memoLife. Cheap values are
	// computed almost every time.
	memoTimes = 200
	memoLife  = 30 * time.Second
	maxMemos  = 256
)

// memo caches expensive values for a short time. A value that has expired recently is returned while it is refreshed in the
// background; an older one is computed again while the caller waits. It is safe for concurrent use.
type memo[T any] struct {
	mu   sync.Mutex
	kept map[string]*memoEntry[T]
}

type memoEntry[T any] struct {
	making     sync.Mutex // held while the entry is read or first computed
	value      T
	at         time.Time // zero before the first value
	life       time.Duration
	refreshing bool // a refresh is running
}

// get returns the value of a key and the time when it was computed. Concurrent callers share one call of make. Errors are not
// cached.
func (m *memo[T]) get(ctx context.Context, key string, now func() time.Time, make func(context.Context) (T, error)) (value T, at time.Time,
	err error,
) {
	m.mu.Lock()
	e := m.findEntry(key)
	m.mu.Unlock()
	e.making.Lock()
	defer e.making.Unlock()
	if e.at.IsZero() || now().Sub(e.at) >= 2*e.life {
		began := now()
		if value, err = make(ctx); err != nil {
			return value, at, err
		}
		e.store(value, began, now())
		return e.value, e.at, nil
	}
	if !e.refreshing && now().Sub(e.at) >= e.life {
		e.refreshing = true
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), memoLife)
			defer cancel()
			began := now()
			fresh, err := make(ctx)
			e.making.Lock()
			defer e.making.Unlock()
			if e.refreshing = false; err == nil {
				e.store(fresh, began, now())
			}
		}()
	}
	return e.value, e.at, nil
}

// store sets a value that was computed between two times. The caller must hold e.making.
func (e *memoEntry[T]) store(v T, began, done time.Time) {
	e.value, e.at, e.life = v, done, min(memoTimes*done.Sub(began), memoLife)
}

// findEntry returns the entry of a key. The caller must hold m.mu.
func (m *memo[T]) findEntry(key string) *memoEntry[T] {
	if m.kept == nil || len(m.kept) >= maxMemos && m.kept[key] == nil {
		m.kept = map[string]*memoEntry[T]{}
	}
	e := m.kept[key]
	if e == nil {
		e = new(memoEntry[T])
		m.kept[key] = e
	}
	return e
}
