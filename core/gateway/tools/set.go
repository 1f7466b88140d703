package tools

import (
	"maps"
	"sync/atomic"
)

// Set holds the servers that a configuration serves: those of its file, which do not change while it serves, the stored ones,
// which do, and the virtual ones that join them. It is safe for concurrent use. A nil set is empty.
type Set struct {
	all    atomic.Pointer[Servers]
	shared Shared
	before Servers // what the replaced set served, until the stored servers are in force
}

// Shared is what all servers of a process use.
type Shared struct {
	Sessions  Sealer // of ids of legacy sessions
	Pins      *Pins
	Approvals Spender
}

// NewSet returns a set of servers. Call Adopt before it serves, unless the servers are complete.
func NewSet(all Servers) *Set {
	s := &Set{}
	s.all.Store(&all)
	return s
}

// Adopt takes over what the replaced set has learned about servers; both may serve meanwhile. Call it once, before the set
// serves. before is optional.
func (s *Set) Adopt(before *Set, shared Shared) {
	s.shared, s.before = shared, before.List()
	s.complete(s.List(), s.before)
}

// Replace puts servers into force. They may contain servers that are already in force. The caller must not modify them later. The first
// call brings the stored servers of a set that has replaced another: they inherit what that one has learned. Calls must not overlap.
func (s *Set) Replace(all Servers) {
	known := s.List()
	if s.before != nil {
		inherited := maps.Clone(s.before)
		maps.Copy(inherited, known)
		known, s.before = inherited, nil
	}
	s.complete(all, known)
	s.all.Store(&all)
}

// complete sets what servers share. It leaves alone those that serve already.
func (s *Set) complete(all, before Servers) {
	fresh := Servers{}
	for name, server := range all {
		if server.listed == nil {
			fresh[name] = server
		}
	}
	fresh.Adopt(before)
	fresh.SetPins(s.shared.Pins)
	fresh.SetSpender(s.shared.Approvals)
	fresh.SetSealer(s.shared.Sessions)
}

// List returns all servers. The caller must not modify them.
func (s *Set) List() Servers {
	if s == nil {
		return nil
	}
	return *s.all.Load()
}

// Find returns the server of a name, or nil.
func (s *Set) Find(name string) *Server { return s.List()[name] }

// IsEmpty reports whether no server is served.
func (s *Set) IsEmpty() bool { return len(s.List()) == 0 }

// PriceCall returns the price of a call; see [Servers.PriceCall].
func (s *Set) PriceCall(provider, model string) int64 { return s.List().PriceCall(provider, model) }

// FindAnnotations returns the annotations of a tool; see [Servers.FindAnnotations].
func (s *Set) FindAnnotations(server, tool string) map[string]any {
	return s.List().FindAnnotations(server, tool)
}
