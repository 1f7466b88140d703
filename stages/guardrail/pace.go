package guardrail

import "context"

// paceSteps is how much work passes between two looks at the context: about as many bytes.
const paceSteps = 64 << 10

// pace counts the work of one check, and stops it when the exchange's context is done. Scans report
// what they read with spend, so that a test can compare the work of a text with that of its double.
// The zero value never stops, nor does nil.
type pace struct {
	ctx   context.Context
	steps int64
	next  int64 // the count at which the context is looked at again
	done  bool
}

// reset begins a check.
func (p *pace) reset(ctx context.Context) { *p = pace{ctx: ctx, next: paceSteps} }

// spend counts n steps, and reports whether the check goes on.
func (p *pace) spend(n int) bool {
	if p == nil {
		return true
	}
	p.steps += int64(n)
	return p.steps < p.next || p.look()
}

// look asks the context whether the check goes on.
func (p *pace) look() bool {
	p.done = p.done || p.ctx != nil && p.ctx.Err() != nil
	if p.next = p.steps + paceSteps; p.done {
		p.next = 0 // every later step fails
	}
	return !p.done
}

// stopped reports that the check was stopped.
func (p *pace) stopped() bool { return p != nil && p.done }

// err is why a check was stopped.
func (p *pace) err() error {
	if !p.done {
		return nil
	}
	return context.Cause(p.ctx)
}
