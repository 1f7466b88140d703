package console

import (
	"context"
	"sync"
	"time"
)

const (
	// memoTimes is how many times longer than it took to make something is kept, up to memoLife: what is quickly made is
	// made for nearly everybody who asks.
	memoTimes = 200
	memoLife  = 30 * time.Second
	mostMemo  = 256
)

// memo keeps what takes long to make for a little while. Whoever asks meanwhile gets the same; whoever asks a little later
// gets it too, and has it made anew for those who come next; what is older is made while they wait.
type memo[T any] struct {
	mu   sync.Mutex
	kept map[string]*memoEntry[T]
}

type memoEntry[T any] struct {
	making sync.Mutex // held while it is looked at, and made for the first time
	value  T
	at     time.Time // zero: it was never made
	life   time.Duration
	anew   bool // it is being made again
}

// get gives what is kept under a key, and when it was made. make is called for the first who asks, while the others wait;
// when what is kept is old it is called beside whoever asks. An error is not kept.
func (m *memo[T]) get(ctx context.Context, key string, now func() time.Time, make func(context.Context) (T, error)) (value T, at time.Time, err error) {
	m.mu.Lock()
	e := m.entry(key)
	m.mu.Unlock()
	e.making.Lock()
	defer e.making.Unlock()
	if e.at.IsZero() || now().Sub(e.at) >= 2*e.life {
		began := now()
		if value, err = make(ctx); err != nil {
			return value, at, err
		}
		e.keep(value, began, now())
		return e.value, e.at, nil
	}
	if !e.anew && now().Sub(e.at) >= e.life {
		e.anew = true
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), memoLife)
			defer cancel()
			began := now()
			fresh, err := make(ctx)
			e.making.Lock()
			defer e.making.Unlock()
			if e.anew = false; err == nil {
				e.keep(fresh, began, now())
			}
		}()
	}
	return e.value, e.at, nil
}

// keep notes what was made between two moments. e.making is held.
func (e *memoEntry[T]) keep(v T, began, done time.Time) {
	e.value, e.at, e.life = v, done, min(memoTimes*done.Sub(began), memoLife)
}

// entry is that of a key. m.mu is held.
func (m *memo[T]) entry(key string) *memoEntry[T] {
	if m.kept == nil || len(m.kept) >= mostMemo && m.kept[key] == nil {
		m.kept = map[string]*memoEntry[T]{}
	}
	e := m.kept[key]
	if e == nil {
		e = new(memoEntry[T])
		m.kept[key] = e
	}
	return e
}
