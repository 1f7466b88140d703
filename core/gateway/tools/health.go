package tools

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// Health counts how a server has answered since this process first used it.
type Health struct {
	Answered, Failed          int64 // messages
	LastAnswered, LastFailure time.Time
	// Reason is the code of the last failure.
	Reason string
}

// Use counts the calls of a tool since this process first used its server.
type Use struct {
	Calls, Failed int64
	Cost          int64 // in units of 1e-10 USD
	Last          time.Time
}

// history counts the calls to a server. A new configuration inherits it.
type history struct {
	answered, failed          atomic.Int64
	lastAnswered, lastFailure atomic.Int64 // Unix nanoseconds; 0: never
	reason                    atomic.Pointer[string]
	tools                     sync.Map // names of known tools to *toolUse
	judged                    judgementMemory
}

type toolUse struct{ calls, failed, cost, last atomic.Int64 }

// NoteOutcome counts a message that was sent to the server; code is the error's code, or "" if the server answered. tool is the
// name of the known tool that was called, or "". cost is the cost of the call in units of 1e-10 USD.
func (s *Server) NoteOutcome(code, tool string, cost int64, now time.Time) {
	h := s.history
	if h == nil {
		return
	}
	failed := code != ""
	if failed {
		h.failed.Add(1)
		h.lastFailure.Store(now.UnixNano())
		h.reason.Store(&code)
	} else {
		h.answered.Add(1)
		h.lastAnswered.Store(now.UnixNano())
	}
	if tool == "" {
		return
	}
	v, ok := h.tools.Load(tool)
	if !ok {
		v, _ = h.tools.LoadOrStore(tool, new(toolUse))
	}
	u := v.(*toolUse)
	u.calls.Add(1)
	u.cost.Add(cost)
	u.last.Store(now.UnixNano())
	if failed {
		u.failed.Add(1)
	}
}

// Health returns how the server has answered.
func (s *Server) Health() Health {
	h := s.history
	if h == nil {
		return Health{}
	}
	out := Health{
		Answered: h.answered.Load(), Failed: h.failed.Load(), LastAnswered: readMoment(&h.lastAnswered), LastFailure: readMoment(&h.lastFailure),
	}
	if r := h.reason.Load(); r != nil {
		out.Reason = *r
	}
	return out
}

// Uses returns how often each known tool was called.
func (s *Server) Uses() map[string]Use {
	out := map[string]Use{}
	if s.history == nil {
		return out
	}
	s.history.tools.Range(func(name, v any) bool {
		u := v.(*toolUse)
		out[name.(string)] = Use{Calls: u.calls.Load(), Failed: u.failed.Load(), Cost: u.cost.Load(), Last: readMoment(&u.last)}
		return true
	})
	return out
}

func readMoment(at *atomic.Int64) time.Time {
	if n := at.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// KnownEra returns the newest era that the server is known to speak, or 0 before the first probe.
func (s *Server) KnownEra() mcp.Era {
	if s.Era != 0 {
		return s.Era
	}
	s.probed.mu.Lock()
	defer s.probed.mu.Unlock()
	if s.probed.era&mcp.Modern != 0 { // it may speak both
		return mcp.Modern
	}
	return s.probed.era
}

// FindCallers returns who may use a tool: the entries of the access list that name it. If the list is empty and ok is true,
// every key may use it. ok is false if the server does not serve the tool at all.
func (s *Server) FindCallers(tool string) (callers []Access, ok bool) {
	if !matches(s.Tools, tool, "") {
		return nil, false
	}
	for i := range s.Access {
		if matches(s.Access[i].Tools, tool, "") {
			callers = append(callers, s.Access[i])
		}
	}
	return callers, len(s.Access) == 0 || len(callers) > 0
}
