package chain

import (
	"context"
	"math/bits"
	"runtime/debug"

	"github.com/headgate-dev/headgate/core"
)

// RunRequest asks the links on the way in. Each link sees the texts as edited by the links before it.
func (c *Chain) RunRequest(ctx context.Context, x *core.Exchange) Decision {
	r := c.begin(x)
	r.clock = core.MeasureUptime()
	d := Decision{Action: core.Pass}
	for s := r.on & c.phases[core.Request] &^ c.shadow; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if d = c.runLink(ctx, x, r, i, core.Request, &x.Request); d.Action != core.Pass {
			if d.Action == core.Answer {
				r.limit = i
			}
			break
		}
		r.passed |= 1 << i
	}
	d = d.flush(&x.Request)
	c.runShadow(ctx, x, r, r.on&c.phases[core.Request]&c.shadow, core.Request, &x.Request)
	return d
}

// Admit lets the request through without asking a link. It is for an answer whose request
// the links have judged in another exchange.
func (c *Chain) Admit(x *core.Exchange) {
	r := c.begin(x)
	r.passed = r.on
}

// RunTarget asks the links about the target in x.Target. Block skips the target.
func (c *Chain) RunTarget(ctx context.Context, x *core.Exchange) Decision {
	r := getRun(x)
	s := r.on & c.phases[core.Target] &^ c.shadow
	if s != 0 {
		r.clock = core.MeasureUptime()
	}
	for ; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if d := c.runLink(ctx, x, r, i, core.Target, &x.Request); d.Action != core.Pass {
			return d.flush(&x.Request)
		}
	}
	return Decision{Action: core.Pass}.flush(&x.Request)
}

// RunResponse asks the links on the way out, last link first, about a whole answer. After a Retry, call it again for the
// next answer, which starts at the last link.
func (c *Chain) RunResponse(ctx context.Context, x *core.Exchange) Decision {
	r := c.begin(x)
	r.clock = core.MeasureUptime()
	d := Decision{Action: core.Pass}
	r.saved = false
	all := c.findResponders(r)
	if all&^c.shadow != 0 {
		x.Response.DropLoose()
	}
	for i := range x.Findings { // of an earlier answer: their places say nothing about this one
		if f := &x.Findings[i]; f.Phase == core.Response {
			f.Segment = -1
		}
	}
	for s := all &^ c.shadow; s != 0; {
		i := bits.Len64(uint64(s)) - 1
		s &^= 1 << i
		if d = c.runLink(ctx, x, r, i, core.Response, &x.Response); d.Action != core.Pass {
			break
		}
	}
	if x.Request.HasEditedDocuments() {
		x.Response.FollowDocuments(&x.Request)
	}
	d = d.flush(&x.Response)
	c.runShadow(ctx, x, r, all&c.shadow, core.Response, &x.Response)
	return d
}

// runLink asks one enforcing link and carries its verdict out.
func (c *Chain) runLink(ctx context.Context, x *core.Exchange, r *run, i int, p core.Phase, body *core.Payload) Decision {
	l, began := &c.links[i], r.clock
	if ctx.Err() != nil { // the client has left: skip the other links
		return Decision{Action: core.Block, Link: l.Name, Err: newCanceledError(ctx)}
	}
	r.reached |= 1 << i
	v, fault, err := callStage(meterCPU(ctx, l, len(body.Raw), began), l, x, p, r.kept[i])
	addFindings(x, l, p, v.Findings) // before the rewrite, which moves them along
	if fault == 0 && v.Action == core.Rewrite {
		if err = c.rewrite(ctx, x, r, p, body, v.Edits); err != nil {
			fault = core.FindFault(err)
		}
	}
	r.clock = core.MeasureUptime()
	x.Visits = append(x.Visits, core.Visit{Link: l.Name, Phase: p, Action: v.Action, Fault: fault, Duration: r.clock - began, Began: began})
	if fault != 0 {
		return c.applyFaultRule(ctx, l, fault, err)
	}
	if v.Keep != nil {
		r.kept[i] = v.Keep
	}
	x.Header = append(x.Header, v.Header...)
	switch v.Action {
	case core.Rewrite:
		x.ApplyPatch(v.Patch)
	case core.Answer:
		return Decision{Action: core.Answer, Link: l.Name, Reply: v.Reply}
	case core.Block, core.Retry:
		return newObjection(l, &v)
	}
	return Decision{Action: core.Pass}
}

// runShadow asks links in shadow about the body as it was before any rewrite.
func (c *Chain) runShadow(ctx context.Context, x *core.Exchange, r *run, s set, p core.Phase, body *core.Payload) {
	if s == 0 || ctx.Err() != nil {
		return
	}
	if r.saved {
		*body, r.original = r.original, *body
		defer func() { *body, r.original = r.original, *body }()
	}
	for ; s != 0 && ctx.Err() == nil; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		l := &c.links[i]
		r.reached |= 1 << i
		began := core.MeasureUptime()
		v, fault, _ := callStage(meterCPU(ctx, l, len(body.Raw), began), l, x, p, r.kept[i])
		x.Visits = append(
			x.Visits,
			core.Visit{Link: l.Name, Phase: p, Action: v.Action, Shadow: true, Fault: fault, Duration: core.MeasureUptime() - began, Began: began},
		)
		if l.Watch != nil && fault == 0 {
			l.Watch(x, p, body, &v)
		}
		addFindings(x, l, p, v.Findings)
		if v.Keep != nil {
			r.kept[i] = v.Keep
		}
	}
}

// applyFaultRule carries a link's fault rule out.
func (c *Chain) applyFaultRule(ctx context.Context, l *Link, f core.Fault, err error) Decision {
	if ctx.Err() != nil {
		return Decision{Action: core.Block, Link: l.Name, Err: newCanceledError(ctx)}
	}
	if e := newLimitError(l, err); e != nil {
		return Decision{Action: core.Block, Link: l.Name, Fault: true, Err: e}
	}
	if l.OnFault == FaultPasses {
		return Decision{Action: core.Pass}
	}
	return Decision{Action: core.Block, Link: l.Name, Fault: true, Err: newGuardError(l, f, err)}
}

// callStage calls a stage and checks that its verdict is one.
func callStage(ctx context.Context, l *Link, x *core.Exchange, p core.Phase, kept any) (v core.Verdict, f core.Fault, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, f, err = core.Verdict{}, core.FaultPanic, describePanic(r)
		}
	}()
	if v, err = l.Stage.Check(ctx, x, p, kept); err != nil {
		return core.Verdict{Findings: v.Findings}, core.FindFault(err), err
	}
	if err = checkVerdict(&v); err == nil && (v.Action == core.Answer && p != core.Request || v.Action == core.Retry && p != core.Response) {
		err = errVerdict // the links before this one would not see the answer, or no answer exists yet
	}
	if err != nil {
		return core.Verdict{Findings: v.Findings}, core.FaultVerdict, err
	}
	return v, 0, nil
}

// Conclude calls the stages that are Concluders before the header of a whole answer leaves. It returns panics as Finish does.
func (c *Chain) Conclude(x *core.Exchange) (panics []FinishPanic) {
	r := getRun(x)
	for s := r.reached & c.conclude; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if v, stack := callConcluder(c.links[i].Stage.(Concluder), x, r.kept[i]); v != nil {
			panics = append(panics, c.noteFinishPanic(x, i, v, stack))
		}
	}
	return panics
}

// callConcluder returns the value and the stack of a panic, or nil.
func callConcluder(s Concluder, x *core.Exchange, kept any) (value any, stack []byte) {
	defer func() {
		if value = recover(); value != nil {
			stack = debug.Stack()
		}
	}()
	s.Conclude(x, kept)
	return nil, nil
}

// FinishPanic is a panic of a link's Finisher or Concluder. Value may contain a prompt: do not log it as it is.
type FinishPanic struct {
	Link  string
	Value any
	Stack []byte
}

// Finish tells the stages that want to know how the exchange ended. ctx must outlive the client's. After a panic of a
// Finisher it continues with the next; it returns the panic and records it in x.Visits as a fault of the link. It sends
// all settlements with one server in one round trip after the last Finisher.
func (c *Chain) Finish(ctx context.Context, x *core.Exchange) (panics []FinishPanic) {
	r := getRun(x)
	s := r.reached & c.finish
	r.reached = 0
	for ; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		r.settlements.queueLink(i)
		if v, stack := callFinisher(ctx, c.links[i].Stage.(core.Finisher), x, r.kept[i]); v != nil {
			panics = append(panics, c.noteFinishPanic(x, i, v, stack))
		}
	}
	for _, p := range r.settlements.send(ctx) {
		panics = append(panics, c.noteFinishPanic(x, p.link, p.value, p.stack))
	}
	return panics
}

func (c *Chain) noteFinishPanic(x *core.Exchange, link int, value any, stack []byte) FinishPanic {
	l := &c.links[link]
	x.Visits = append(x.Visits, core.Visit{Link: l.Name, Phase: core.Response, Shadow: l.Mode == Shadow, Fault: core.FaultPanic})
	return FinishPanic{l.Name, value, stack}
}

// callFinisher returns the value and the stack of a panic, or nil.
func callFinisher(ctx context.Context, f core.Finisher, x *core.Exchange, kept any) (value any, stack []byte) {
	defer func() {
		if value = recover(); value != nil {
			stack = debug.Stack()
		}
	}()
	f.Finish(ctx, x, kept)
	return nil, nil
}
