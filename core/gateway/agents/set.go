package agents

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Set are the agents that a configuration serves: those of its file, which do not change while it serves, and those that are
// records, which do. Its methods may be called from many goroutines. A nil set is empty.
type Set struct {
	file   Agents
	stored atomic.Pointer[Agents]
	marks  Marker
	kept   *histories
}

// histories are the histories of agents by name. Sets hand them on.
type histories struct {
	mu sync.Mutex
	by map[string]*history
}

// NewSet returns a set of the agents of a file. It serves once it has adopted what is known of them.
func NewSet(file Agents) *Set {
	s := &Set{file: file, kept: &histories{by: map[string]*history{}}}
	s.stored.Store(&Agents{})
	return s
}

// Adopt takes over the health of agents from the set that this one replaces; both may serve meanwhile. marks makes the ids of
// tasks the callers' own. It must be called once, before the set serves; before may be nil.
func (s *Set) Adopt(before *Set, marks Marker) {
	if s.marks = marks; before != nil {
		s.kept = before.kept
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	for name, a := range s.file {
		s.enter(name, a)
	}
}

// enter gives a new agent what it shares with others. kept is locked.
func (s *Set) enter(name string, a *Agent) {
	if s.kept.by[name] == nil {
		s.kept.by[name] = new(history)
	}
	a.marks, a.history = s.marks, s.kept.by[name]
}

// Replace puts agents that are records in force. An agent of the file has precedence over one of the same name. Agents that are
// in force already may be among them.
func (s *Set) Replace(stored Agents) {
	all := maps.Clone(stored)
	maps.DeleteFunc(all, func(name string, _ *Agent) bool { return s.file[name] != nil })
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	maps.DeleteFunc(s.kept.by, func(name string, _ *history) bool { return s.file[name] == nil && all[name] == nil })
	for name, a := range all {
		if a.history == nil {
			s.enter(name, a)
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

// ListStored returns the agents that are records. They are not changed.
func (s *Set) ListStored() Agents { return *s.stored.Load() }

// IsEmpty reports whether no agent is served.
func (s *Set) IsEmpty() bool { return s == nil || len(s.file)+len(*s.stored.Load()) == 0 }

// PerCall returns the price of a message, in units of 1e-10 USD, by the names of provider and model in records. It is 0 for
// what is no message, and for an unknown agent.
func (s *Set) PerCall(provider, model string) int64 {
	if s == nil {
		return 0
	}
	return s.file.PerCall(provider, model) + (*s.stored.Load()).PerCall(provider, model)
}
