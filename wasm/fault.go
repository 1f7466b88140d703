package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/headgate-dev/headgate/core"
)

// Error describes how a guest failed. Its text names the plugin and contains nothing that the guest could have written.
type Error struct {
	Plugin string
	Kind   core.Fault
	Reason string
	Err    error // the cause, if known

	excused bool // not caused by the guest: the request ran out of time, or its client left
	left    bool // the client left: not a fault, and no response is needed

	late, gap time.Duration // of a call that was cut: the time since its deadline, and between the last two checks before
}

var _ core.FaultReporter = (*Error)(nil)

func (e *Error) Error() string {
	if e.Plugin == "" {
		return fmt.Sprintf("%s: %s", e.Kind, e.Reason)
	}
	return fmt.Sprintf("plugin %q: %s: %s", e.Plugin, e.Kind, e.Reason)
}

// replaceTextFault replaces the error of a call if its text is probably too long for the guest's memory: a client chose
// the text, and an operator the limit.
func (v *Version) replaceTextFault(err error, size int) error {
	var e *Error
	if !errors.As(err, &e) || e.excused {
		return err
	}
	switch n, memory := int64(size), v.limits.Memory; {
	case e.Kind == core.FaultMemory && n > memory/8: // a guest may need several times the text
	case (e.Kind == core.FaultError || e.Kind == core.FaultTrap) && n > memory/2:
	default:
		return err
	}
	return &Error{
		Plugin: v.Name, Kind: core.FaultMemory, Err: err, excused: true,
		Reason: fmt.Sprintf("%d bytes of text do not fit into its memory of %d bytes; raise limits.memory of its link", size, v.limits.Memory),
	}
}

// dropName removes the plugin's name, for callers that add it themselves.
func dropName(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Plugin = ""
	return &c
}

// Fault returns the kind of the fault.
func (e *Error) Fault() core.Fault { return e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors that end a guest's call from inside a host function. wazero turns the panic into an error of the call, which wraps the value.
var (
	errDeadline = errors.New("the call was cut at its deadline")
	errFuel     = errors.New("used up its fuel")
	errLeft     = errors.New("the caller left")
	errClosing  = errors.New("the plugin is being closed")
)

// exitError is the exit code of a guest that called proc_exit.
type exitError uint32

func (e exitError) Error() string { return fmt.Sprintf("the guest exited with code %d", uint32(e)) }

// wrapFault returns the Error for the error of a call into the guest.
func (i *instance) wrapFault(err error) *Error {
	e := &Error{Plugin: i.v.Name, Kind: core.FaultTrap, Err: err}
	var exit exitError
	var inner *Error // of a host function
	var breach abiError
	switch {
	case errors.Is(err, errDeadline):
		e.Kind, e.Reason = core.FaultTimeout, "it did not return in time"
		if i.call.stored > i.call.ran/2 {
			e.Reason = "the state store did not answer in time"
		}
		e.excused = i.call.borrowed || i.call.stored > i.call.ran/2
		e.Err = context.DeadlineExceeded
		e.late, e.gap = i.call.late, i.call.gap
	case errors.Is(err, errFuel):
		e.Kind, e.Reason = core.FaultTimeout, errFuel.Error()
	case errors.Is(err, errLeft):
		e.Kind, e.Reason, e.excused = core.FaultTimeout, "the request was canceled", true
		e.left = true
		if i.call.parent != nil {
			e.Err = context.Cause(i.call.parent)
		}
	case errors.Is(err, errClosing):
		e.Kind, e.Reason, e.excused = core.FaultTimeout, errClosing.Error(), true
	case errors.Is(err, errAborted):
		e.Kind, e.Reason = core.FaultError, errAborted.Error()
	case errors.Is(err, errNoBlock):
		e.Kind, e.Reason = core.FaultMemory, errNoBlock.Error()
	case errors.Is(err, errNoRoom):
		e.Kind, e.Reason = core.FaultMemory, errNoRoom.Error()
	case errors.As(err, &inner):
		return inner
	case errors.As(err, &breach):
		e.Kind, e.Reason = core.FaultABI, string(breach)
	case errors.As(err, &exit):
		e.Reason = exit.Error()
	case i.isTooDeep():
		e.Kind, e.Reason = core.FaultDepth, fmt.Sprintf("called deeper than %d frames", i.v.depth)
	default:
		e.Reason = formatTrapReason(err)
		if i.isNearlyFull() {
			e.Kind, e.Reason = core.FaultMemory, "it trapped at its memory limit: "+e.Reason
		}
	}
	return e
}

// newNotStartedError converts an error during the start of an instance into a fault of kind load, unless the guest did not cause it.
func newNotStartedError(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.excused {
		return err
	}
	return &Error{Plugin: e.Plugin, Kind: core.FaultLoad, Reason: fmt.Sprintf("could not be started: %s: %s", e.Kind, e.Reason), Err: e.Err}
}

// formatTrapReason returns the first line of the runtime's message: the following lines contain names from the module.
func formatTrapReason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = strings.TrimPrefix(line, "wasm error: ")
	line = strings.TrimSuffix(line, " (recovered by wazero)")
	return stripControls(line, 120)
}

// stripControls cuts text to n bytes and removes its control characters.
func stripControls(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s)
}

func (v *Version) newABIFault(format string, args ...any) *Error {
	return &Error{Plugin: v.Name, Kind: core.FaultABI, Reason: fmt.Sprintf(format, args...)}
}
