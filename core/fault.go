package core

import (
	"context"
	"errors"
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
