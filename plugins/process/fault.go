package process

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
)

// Outcome is the way in which a plugin failed. It is more detailed than core.Fault, and is what metrics and the status
// count.
type Outcome string

// Outcomes.
const (
	OutcomeStart     Outcome = "start"      // the file could not be started, or the process ended before it was ready
	OutcomeSlowStart Outcome = "slow_start" // the process was not ready in time
	OutcomeHandshake Outcome = "handshake"  // its first line or its Hello is invalid
	OutcomeVersion   Outcome = "version"    // it speaks another version of the protocol
	OutcomeChecksum  Outcome = "checksum"   // the digest of the file is not the pinned one
	OutcomeRefused   Outcome = "refused"    // the plugin rejects its settings, or requests more than is granted
	OutcomeCrash     Outcome = "crash"      // the process ended
	OutcomeTimeout   Outcome = "timeout"    // no answer in time
	OutcomeHang      Outcome = "hang"       // no answer long after that: the process was killed
	OutcomeGarbage   Outcome = "garbage"    // it sent an invalid or unexpected message
	OutcomeUnknown   Outcome = "unknown_call"
	OutcomeOversized Outcome = "oversized" // a message is too large
	OutcomeFailed    Outcome = "error"     // the plugin reports a failure
	OutcomeVerdict   Outcome = "verdict"   // the verdict is invalid
	OutcomeOverload  Outcome = "overload"  // too many calls
	OutcomeDown      Outcome = "down"      // the process is not running, or out of service
	OutcomeClosed    Outcome = "closed"    // the link is being closed
)

// kinds maps outcomes to the faults that the chain knows.
var kinds = map[Outcome]core.Fault{
	OutcomeCrash:     core.FaultCrash,
	OutcomeHang:      core.FaultCrash,
	OutcomeTimeout:   core.FaultTimeout,
	OutcomeGarbage:   core.FaultABI,
	OutcomeUnknown:   core.FaultABI,
	OutcomeOversized: core.FaultABI,
	OutcomeVersion:   core.FaultABI,
	OutcomeHandshake: core.FaultABI,
	OutcomeVerdict:   core.FaultVerdict,
	OutcomeOverload:  core.FaultOverload,
	OutcomeDown:      core.FaultOverload,
}

// Error says that a plugin failed, and how. Its text names the link and contains nothing that the plugin or the client
// wrote.
type Error struct {
	Link    string
	Outcome Outcome
	Reason  string

	left    error // the caller left: not the plugin's fault
	excused bool  // not the plugin's fault either: the text cannot be shown to any plugin
	ended   bool  // the process ended before it answered
	unsent  bool  // before it was called
}

var _ core.FaultReporter = (*Error)(nil)

func (e *Error) Error() string { return fmt.Sprintf("process %q: %s: %s", e.Link, e.Outcome, e.Reason) }

// Fault returns the kind of the fault.
func (e *Error) Fault() core.Fault {
	if k, ok := kinds[e.Outcome]; ok {
		return k
	}
	return core.FaultError
}

// Unwrap returns the cause of the caller's cancellation, or nil.
func (e *Error) Unwrap() error { return e.left }

func (p *process) newFault(o Outcome, format string, args ...any) *Error {
	return &Error{Link: p.spec.Link, Outcome: o, Reason: fmt.Sprintf(format, args...)}
}

// newCanceledError returns the error of a call whose caller canceled.
func (p *process) newCanceledError(parent context.Context) *Error {
	e := p.newFault(OutcomeTimeout, "the request was canceled")
	e.left = context.Cause(parent)
	return e
}
