package agents

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Set holds the agents that a configuration serves: those of its file, which do not change while it serves, and the stored
// ones, which do. It is safe for concurrent use. A nil set is empty.
type Set struct {
	file   Agents
	stored atomic.Pointer[Agents]
	marks  Marker
	pushes Sealer
	kept   *histories
}

// histories are the histories of agents by name. A new set inherits them.
type histories struct {
	mu sync.Mutex
	by map[string]*history
}

// NewSet returns a set of the agents of a file. Call Adopt before it serves.
func NewSet(file Agents) *Set {
	s := &Set{file: file, kept: &histories{by: map[string]*history{}}}
	s.stored.Store(&Agents{})
	return s
}

// Adopt takes over the health of agents from the set that this one replaces; both may serve meanwhile. marks binds the ids of
// tasks to their callers, and pushes seals where callers want to be notified. Call it once, before the set serves. before is optional.
func (s *Set) Adopt(before *Set, marks Marker, pushes Sealer) {
	if s.marks, s.pushes = marks, pushes; before != nil {
		s.kept = before.kept
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	for name, a := range s.file {
		s.registerAgent(name, a)
	}
}

// registerAgent sets what a new agent shares with others. The caller holds the lock of kept.
func (s *Set) registerAgent(name string, a *Agent) {
	if s.kept.by[name] == nil {
		s.kept.by[name] = new(history)
	}
	a.marks, a.pushes, a.history = s.marks, s.pushes, s.kept.by[name]
}

// Replace puts stored agents into force. Agents of the file take precedence over stored ones of the same name. stored may
// contain agents that are already in force.
func (s *Set) Replace(stored Agents) {
	all := maps.Clone(stored)
	maps.DeleteFunc(all, func(name string, _ *Agent) bool { return s.file[name] != nil })
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	maps.DeleteFunc(s.kept.by, func(name string, _ *history) bool { return s.file[name] == nil && all[name] == nil })
	for name, a := range all {
		if a.history == nil {
			s.registerAgent(name, a)
		}
	}
	s.stored.Store(&all)
}

// Find returns the agent of a name, or nil.
func (s *Set) Find(name string) *Agent {
	if s == nil {
		return nil
	}
	if a := s.file[name]; a != nil {
		return a
	}
	return (*s.stored.Load())[name]
}

// ListStored returns the stored agents. The caller must not modify them.
func (s *Set) ListStored() Agents { return *s.stored.Load() }

// IsEmpty reports whether no agent is served.
func (s *Set) IsEmpty() bool { return s == nil || len(s.file)+len(*s.stored.Load()) == 0 }

// PriceCall returns the price of a message, in units of 1e-10 USD, by the names of provider and model in records. It is 0 for
// other requests than messages, and for an unknown agent.
func (s *Set) PriceCall(provider, model string) int64 {
	if s == nil {
		return 0
	}
	return s.file.PriceCall(provider, model) + (*s.stored.Load()).PriceCall(provider, model)
}
