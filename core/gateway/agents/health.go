package agents

import (
	"sync"
	"time"
)

// Health counts how an agent has answered since this process first used it.
type Health struct {
	Answered, Failed          int64 // requests
	Messages                  int64 // messages sent to it
	Cost                      int64 // in units of 1e-10 USD
	LastAnswered, LastFailure time.Time
	Reason                    string // the code of the last failure
}

// history is the health of an agent. A new configuration inherits it.
type history struct {
	mu  sync.Mutex
	now Health
}

// NoteOutcome counts a request that was sent to the agent; code is the error's code, or "" if the agent answered. isMessage is
// true for a message, and cost is its cost in units of 1e-10 USD.
func (a *Agent) NoteOutcome(code string, isMessage bool, cost int64, now time.Time) {
	if a.history == nil {
		return
	}
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	h := &a.history.now
	if code == "" {
		h.Answered++
		h.LastAnswered = now
	} else {
		h.Failed++
		h.LastFailure, h.Reason = now, code
	}
	if isMessage {
		h.Messages++
	}
	h.Cost += cost
}

// Health returns how the agent has answered.
func (a *Agent) Health() Health {
	if a.history == nil {
		return Health{}
	}
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	return a.history.now
}
