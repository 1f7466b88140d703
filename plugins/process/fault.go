package process

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
)

// Outcome tells the ways in which a plugin fails more finely apart than core.Fault: it
// is what metrics and the status count.
type Outcome string

// Outcomes.
const (
	OutcomeStart     Outcome = "start"      // the file could not be started, or the process ended before it was ready
	OutcomeSlowStart Outcome = "slow_start" // the process was not ready in time
	OutcomeHandshake Outcome = "handshake"  // its first line or its Hello is none
	OutcomeVersion   Outcome = "version"    // it speaks another version of the protocol
	OutcomeChecksum  Outcome = "checksum"   // the file is not the one that is pinned
	OutcomeRefused   Outcome = "refused"    // the plugin does not take its settings, or wants more than it is granted
	OutcomeCrash     Outcome = "crash"      // the process ended
	OutcomeTimeout   Outcome = "timeout"    // no answer in time
	OutcomeHang      Outcome = "hang"       // no answer long after that: the process was killed
	OutcomeGarbage   Outcome = "garbage"    // what came is no message, or does not belong there
	OutcomeUnknown   Outcome = "unknown_call"
	OutcomeOversized Outcome = "oversized" // a message is larger than it may be
	OutcomeFailed    Outcome = "error"     // the plugin says that it failed
	OutcomeVerdict   Outcome = "verdict"   // the verdict is none
	OutcomeOverload  Outcome = "overload"  // too many calls
	OutcomeDown      Outcome = "down"      // the process is not running, or out of service
	OutcomeClosed    Outcome = "closed"    // the link is being closed
)

// kinds are the faults that the chain knows.
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

// Error says that a plugin failed and how. Its text names the link and holds nothing
// that the plugin or the client wrote.
type Error struct {
	Link    string
	Outcome Outcome
	Reason  string

	left    error // the caller left: no fault of the plugin's
	excused bool  // nor is this: the text cannot be shown to any plugin
	ended   bool  // the process ended before it answered
	unsent  bool  // before it was asked, even
}

var _ core.Faulty = (*Error)(nil)

func (e *Error) Error() string { return fmt.Sprintf("process %q: %s: %s", e.Link, e.Outcome, e.Reason) }

// Fault tells the kinds apart.
func (e *Error) Fault() core.Fault {
	if k, ok := kinds[e.Outcome]; ok {
		return k
	}
	return core.FaultError
}

// Unwrap returns the cause of the caller's cancellation, if it canceled.
func (e *Error) Unwrap() error { return e.left }

func (p *process) fault(o Outcome, format string, args ...any) *Error {
	return &Error{Link: p.spec.Link, Outcome: o, Reason: fmt.Sprintf(format, args...)}
}

// canceledError returns the error of a call whose caller canceled.
func (p *process) canceledError(parent context.Context) *Error {
	e := p.fault(OutcomeTimeout, "the request was canceled")
	e.left = context.Cause(parent)
	return e
}
