package core

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Mode says whether a link's verdict counts.
type Mode uint8

// Modes.
const (
	_       Mode = iota
	Enforce      // the verdict is carried out
	Shadow       // the verdict is recorded and changes nothing
)

// OnFault says what happens when a stage fails.
type OnFault uint8

// What happens on a fault. The zero value is treated as FaultBlocks.
const (
	_           OnFault = iota
	FaultBlocks         // the exchange is refused
	FaultPasses         // the link is skipped, and the fault recorded
)

// Fault tells the ways in which a stage fails apart.
type Fault uint8

// Faults. The zero value means that there was none.
const (
	_             Fault = iota
	FaultError          // the stage returned an error
	FaultTimeout        // it did not answer in time
	FaultPanic          // it panicked
	FaultVerdict        // its verdict was no verdict: undecided, or edits that do not fit
	FaultTrap           // a guest trapped
	FaultMemory         // a guest wanted more memory than it may have
	FaultABI            // a guest broke the contract
	FaultOverload       // no instance came free in time
	FaultDepth          // a guest called deeper than it may
	FaultLoad           // a stage could not be started
	FaultCrash          // a plugin's process ended during the call
)

func (f Fault) String() string {
	names := [...]string{"", "error", "timeout", "panic", "verdict", "trap", "memory", "abi", "overload", "depth", "load", "crash"}
	if int(f) < len(names) {
		return names[f]
	}
	return "error"
}

// Faulty is an error that knows which fault it is. Adapters of foreign code
// (Wasm, processes, webhooks) return it.
type Faulty interface {
	error
	Fault() Fault
}

// FaultOf returns the fault that an error of a stage is.
func FaultOf(err error) Fault {
	var f Faulty
	switch {
	case errors.As(err, &f):
		return f.Fault()
	case errors.Is(err, context.DeadlineExceeded):
		return FaultTimeout
	}
	return FaultError
}

// Filter narrows a link to some exchanges. Empty lists match everything.
// Patterns are globs; see Glob. A key is known by its id, its name, and the id of the
// first one that it took the place of. A model is known by the client's name, with and
// without a provider's prefix, and by the one that is routed in its place, a shape by
// its own name and by that of the one that it is checked like.
type Filter struct {
	Tenants, Keys, Models, Dialects []string
}

// Matches reports whether the exchange is one of those.
func (f *Filter) Matches(x *Exchange) bool {
	p := x.Principal
	if p == nil {
		p = &Principal{}
	}
	return anyGlob(f.Tenants, p.Tenant, "") && (anyGlob(f.Keys, p.KeyID, p.KeyName) || anyGlob(f.Keys, p.Lineage, "")) &&
		(len(f.Models) == 0 || slices.ContainsFunc(f.Models, x.Names)) && anyGlob(f.Dialects, x.Dialect, x.Like)
}

func anyGlob(patterns []string, a, b string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, p := range patterns {
		if Glob(p, a) || b != "" && Glob(p, b) {
			return true
		}
	}
	return false
}

// Link is a stage's place in the chain. Timeout is enforced by the adapters of
// foreign code; compiled-in stages get the request's own context.
type Link struct {
	Name    string
	Stage   Stage
	Phases  Phases
	Mode    Mode
	OnFault OnFault
	Timeout time.Duration
	For     Filter
	// Redacts is true for a link that takes text out of requests and puts it back
	// into answers. Such links see the lines of batch files too; those that decide
	// about single requests do not.
	Redacts bool
	// Implied is true for a link that the configuration does not write: one for records.
	Implied bool
}

func (l *Link) narrowed() bool {
	return len(l.For.Tenants)+len(l.For.Keys)+len(l.For.Models)+len(l.For.Dialects) > 0
}

// applies reports whether the link takes part in an exchange.
func (l *Link) applies(x *Exchange) bool {
	if l.narrowed() && !l.For.Matches(x) {
		return false
	}
	s, ok := l.Stage.(Selective)
	return !ok || s.Applies(x)
}
