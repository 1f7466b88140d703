package guardrail

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// paceSteps is the amount of work between two checks of the context, in about bytes.
const paceSteps = 64 << 10

// pace counts the work of one check, and stops it when the exchange's context is done or the link has used its CPU time. Scans report
// what they read with spend, so that a test can compare the work of a text with that of its double.
// The zero value never stops, nor does nil.
type pace struct {
	ctx   context.Context
	steps int64
	next  int64 // the count at which the context is checked again
	done  error // why the check was stopped
}

// reset starts a check.
func (p *pace) reset(ctx context.Context) { *p = pace{ctx: ctx, next: paceSteps} }

// spendSteps counts n steps, and reports whether to continue.
func (p *pace) spendSteps(n int) bool {
	if p == nil {
		return true
	}
	p.steps += int64(n)
	return p.steps < p.next || p.look()
}

// look checks the context and its meter, and reports whether to continue.
func (p *pace) look() bool {
	if p.done == nil && p.ctx != nil {
		p.done = core.CheckWork(p.ctx)
	}
	if p.next = p.steps + paceSteps; p.done != nil {
		p.next = 0 // every later step fails
	}
	return p.done == nil
}

// isStopped reports whether the check was stopped.
func (p *pace) isStopped() bool { return p != nil && p.done != nil }

// checkPace returns why a check was stopped, or nil.
func (p *pace) checkPace() error { return p.done }
