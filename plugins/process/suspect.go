package process

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// suspects are the keys whose calls were in flight when the process ended. A text can end a process, and with it the
// calls of all others. So the calls of a suspect run alone, one at a time, in a second process, the ward. If one of
// them ends the ward, that key is guilty, and no other call is lost. A suspect whose call ends well is cleared.
type suspects struct {
	mu   sync.Mutex
	keys map[string]bool // true: one of its calls ended the ward
}

// maxSuspects limits how many keys are remembered. Any others are found when the process next ends.
const maxSuspects = 4096

func (s *suspects) has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.keys[key]
	return ok
}

// add adds keys to the suspects. guilty means that a call of the key ended the ward.
func (s *suspects) add(guilty bool, keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil || len(s.keys) > maxSuspects {
		s.keys = map[string]bool{}
	}
	for _, k := range keys {
		s.keys[k] = s.keys[k] || guilty
	}
}

// clear records that a call of a key ended well in the ward. A guilty key becomes a mere suspect first.
func (s *suspects) clear(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch guilty, ok := s.keys[key]; {
	case ok && guilty:
		s.keys[key] = false
	case ok:
		delete(s.keys, key)
	}
}

// ward runs the calls of suspects one at a time. Keys take turns.
type ward struct {
	mu      sync.Mutex
	busy    bool
	turns   []string // keys with waiting calls, the next one first
	waiting map[string][]chan struct{}
	p       *process // nil until it is needed
	closed  bool
}

// maxWaiting is how many calls of one key may wait for the ward.
const maxWaiting = 64

// enter waits for the key's turn. It returns false if ctx ended first, or if too many calls of the key wait.
func (w *ward) enter(ctx context.Context, key string) bool {
	w.mu.Lock()
	if !w.busy {
		w.busy = true
		w.mu.Unlock()
		return true
	}
	if len(w.waiting[key]) >= maxWaiting {
		w.mu.Unlock()
		return false
	}
	turn := make(chan struct{})
	if w.waiting == nil {
		w.waiting = map[string][]chan struct{}{}
	}
	if len(w.waiting[key]) == 0 {
		w.turns = append(w.turns, key)
	}
	w.waiting[key] = append(w.waiting[key], turn)
	w.mu.Unlock()
	select {
	case <-turn:
		return true
	case <-ctx.Done():
	}
	w.mu.Lock()
	k := slices.Index(w.waiting[key], turn)
	if k >= 0 {
		w.waiting[key] = slices.Delete(w.waiting[key], k, k+1)
		if len(w.waiting[key]) == 0 {
			delete(w.waiting, key)
			w.turns = slices.DeleteFunc(w.turns, func(t string) bool { return t == key })
		}
	}
	w.mu.Unlock()
	if k < 0 { // its turn came just now
		w.leave()
	}
	return false
}

// leave gives the turn to the next key.
func (w *ward) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.turns) == 0 {
		w.busy = false
		return
	}
	key := w.turns[0]
	w.turns = w.turns[1:]
	line := w.waiting[key]
	close(line[0])
	if line = line[1:]; len(line) > 0 {
		w.waiting[key] = line
		w.turns = append(w.turns, key)
	} else {
		delete(w.waiting, key)
	}
}

// openProcess returns the ward's process, and starts it if necessary. The caller has entered.
func (w *ward) openProcess(ctx context.Context, of *process) (*process, *Error) {
	w.mu.Lock()
	p, closed := w.p, w.closed
	w.mu.Unlock()
	switch {
	case closed:
		return nil, of.newFault(OutcomeClosed, "the plugin is being closed")
	case p != nil:
		return p, nil
	}
	p = &process{spec: of.spec, exe: of.exe, config: of.config, out: of.out, agreed: of.agreed, began: of.began, ofWard: true}
	if err := p.begin(ctx); err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = of.newFault(OutcomeStart, "the plugin cannot be started a second time")
		}
		return nil, e
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		_ = p.close(context.WithoutCancel(ctx))
		return nil, of.newFault(OutcomeClosed, "the plugin is being closed")
	}
	w.p = p
	return p, nil
}

// close ends the ward's process.
func (w *ward) close(ctx context.Context) error {
	w.mu.Lock()
	p := w.p
	w.p, w.closed = nil, true
	w.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.close(ctx)
}
