package core

import (
	"context"
	"errors"
)

// Fault is the way in which a stage fails.
type Fault uint8

// Faults. The zero value means no fault.
const (
	_             Fault = iota
	FaultError          // the stage returned an error
	FaultTimeout        // it did not answer in time
	FaultPanic          // it panicked
	FaultVerdict        // its verdict was invalid: undecided, or with edits outside the text
	FaultTrap           // a guest trapped
	FaultMemory         // a guest exceeded its memory limit
	FaultABI            // a guest violated the ABI
	FaultOverload       // no instance became free in time
	FaultDepth          // a guest exceeded its call depth
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

// FaultReporter is an error with a known Fault. Adapters of foreign code (Wasm, processes, webhooks) return it.
type FaultReporter interface {
	error
	Fault() Fault
}

// FindFault returns the Fault of a stage's error.
func FindFault(err error) Fault {
	var f FaultReporter
	switch {
	case errors.As(err, &f):
		return f.Fault()
	case errors.Is(err, context.DeadlineExceeded):
		return FaultTimeout
	}
	return FaultError
}
