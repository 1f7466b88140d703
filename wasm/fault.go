package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/headgate-dev/headgate/core"
)

// Error says that a guest failed and how. Its text names the plugin and holds
// nothing that the guest could have written.
type Error struct {
	Plugin string
	Kind   core.Fault
	Reason string
	Err    error // the cause, when there is one

	excused bool // not the guest's doing: the request ran out of time, or its client left
	left    bool // the client left: no fault at all, there is nobody to answer
}

var _ core.Faulty = (*Error)(nil)

func (e *Error) Error() string {
	if e.Plugin == "" {
		return fmt.Sprintf("%s: %s", e.Kind, e.Reason)
	}
	return fmt.Sprintf("plugin %q: %s: %s", e.Plugin, e.Kind, e.Reason)
}

// unnamed leaves the plugin's name out, for callers that name it themselves.
func unnamed(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Plugin = ""
	return &c
}

// Fault tells the kinds apart.
func (e *Error) Fault() core.Fault { return e.Kind }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// What ends a guest from inside a host function. wazero turns the panic into an
// error of the call, which wraps the value.
var (
	errDeadline = errors.New("the call was cut at its deadline")
	errLeft     = errors.New("the caller left")
	errClosing  = errors.New("the plugin is being closed")
)

// exitError is a guest that ended itself through proc_exit.
type exitError uint32

func (e exitError) Error() string { return fmt.Sprintf("the guest exited with code %d", uint32(e)) }

// fault makes an Error of what a call into the guest returned.
func (i *instance) fault(err error) *Error {
	e := &Error{Plugin: i.v.Name, Kind: core.FaultTrap, Err: err}
	var exit exitError
	var breach abiError
	switch {
	case errors.Is(err, errDeadline):
		e.Kind, e.Reason = core.FaultTimeout, "it did not return in time"
		e.excused = i.call.borrowed
		e.Err = context.DeadlineExceeded
	case errors.Is(err, errLeft):
		e.Kind, e.Reason, e.excused = core.FaultTimeout, "the request was canceled", true
		e.left = true
		if i.call.parent != nil {
			e.Err = context.Cause(i.call.parent)
		}
	case errors.Is(err, errClosing):
		e.Kind, e.Reason, e.excused = core.FaultTimeout, errClosing.Error(), true
	case errors.As(err, &breach):
		e.Kind, e.Reason = core.FaultABI, string(breach)
	case errors.As(err, &exit):
		e.Reason = exit.Error()
	default:
		e.Reason = trapReason(err)
		if i.full() {
			e.Kind, e.Reason = core.FaultMemory, "it trapped at its memory limit: "+e.Reason
		}
	}
	return e
}

// trapReason is the first line of the runtime's message: the lines after it
// hold names out of the module.
func trapReason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = strings.TrimPrefix(line, "wasm error: ")
	line = strings.TrimSuffix(line, " (recovered by wazero)")
	return printable(line, 120)
}

// printable cuts text to n bytes and takes control characters out of it.
func printable(s string, n int) string {
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

func (v *Version) abiFault(format string, args ...any) *Error {
	return &Error{Plugin: v.Name, Kind: core.FaultABI, Reason: fmt.Sprintf(format, args...)}
}
