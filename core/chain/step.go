package chain

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"

	"github.com/headgate-dev/headgate/core"
)

// step asks one enforcing link and carries its verdict out.
func (c *Chain) step(ctx context.Context, x *core.Exchange, r *run, i int, p core.Phase, body *core.Payload) Decision {
	l, began := &c.links[i], r.clock
	r.reached |= 1 << i
	v, fault, err := ask(ctx, l, x, p, r.keeps[i])
	note(x, l, p, v.Findings) // before the rewrite, which moves them along
	if fault == 0 && v.Action == core.Rewrite {
		if err = c.rewrite(ctx, x, r, p, body, v.Edits); err != nil {
			fault = core.FaultOf(err)
		}
	}
	r.clock = core.Uptime()
	x.Visits = append(x.Visits, core.Visit{Link: l.Name, Phase: p, Action: v.Action, Fault: fault, Duration: r.clock - began, Began: began})
	if fault != 0 {
		return c.fault(ctx, l, fault, err)
	}
	if v.Keep != nil {
		r.keeps[i] = v.Keep
	}
	x.Header = append(x.Header, v.Header...)
	switch v.Action {
	case core.Rewrite:
		x.ApplyPatch(v.Patch)
	case core.Answer:
		return Decision{Action: core.Answer, Link: l.Name, Reply: v.Reply}
	case core.Block, core.Retry:
		return objection(l, &v)
	}
	return Decision{Action: core.Pass}
}

// objection is what a link's Block or Retry comes to.
func objection(l *Link, v *core.Verdict) Decision {
	e := *v.Err
	e.Link = l.Name
	return Decision{Action: v.Action, Link: l.Name, Err: &e, Append: v.Append}
}

// watch asks links in shadow about the body as it was before any rewrite.
func (c *Chain) watch(ctx context.Context, x *core.Exchange, r *run, s set, p core.Phase, body *core.Payload) {
	if s == 0 || ctx.Err() != nil {
		return
	}
	if r.saved {
		*body, r.original = r.original, *body
		defer func() { *body, r.original = r.original, *body }()
	}
	for ; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		l := &c.links[i]
		r.reached |= 1 << i
		began := core.Uptime()
		v, fault, _ := ask(ctx, l, x, p, r.keeps[i])
		x.Visits = append(x.Visits, core.Visit{Link: l.Name, Phase: p, Action: v.Action, Shadow: true, Fault: fault, Duration: core.Uptime() - began, Began: began})
		note(x, l, p, v.Findings)
		if v.Keep != nil {
			r.keeps[i] = v.Keep
		}
	}
}

// fault carries a link's fault rule out.
func (c *Chain) fault(ctx context.Context, l *Link, f core.Fault, err error) Decision {
	if ctx.Err() != nil {
		return Decision{Action: core.Block, Link: l.Name, Err: canceled(ctx)}
	}
	if l.OnFault == FaultPasses {
		return Decision{Action: core.Pass}
	}
	return Decision{Action: core.Block, Link: l.Name, Fault: true, Err: guardError(l, f, err)}
}

func guardError(l *Link, f core.Fault, err error) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable, Link: l.Name,
		Public: fmt.Sprintf("the guard %q could not judge this exchange (%s), so it was refused", l.Name, f),
		Err:    err,
	}
}

func canceled(ctx context.Context) *core.Error {
	return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: context.Cause(ctx)}
}

// Finish tells the stages that want to know how the exchange ended. ctx must
// outlive the client's.
func (c *Chain) Finish(ctx context.Context, x *core.Exchange) {
	r := runOf(x)
	s := r.reached & c.finish
	r.reached = 0
	for ; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		func() {
			defer func() { _ = recover() }() // the exchange has ended; the next Finisher must still hear of it
			c.links[i].Stage.(core.Finisher).Finish(ctx, x, r.keeps[i])
		}()
	}
}

// ask calls a stage and checks that its verdict is one.
func ask(ctx context.Context, l *Link, x *core.Exchange, p core.Phase, kept any) (v core.Verdict, f core.Fault, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, f, err = core.Verdict{}, core.FaultPanic, panicked(r)
		}
	}()
	if v, err = l.Stage.Check(ctx, x, p, kept); err != nil {
		return core.Verdict{Findings: v.Findings}, core.FaultOf(err), err
	}
	if err = checkVerdict(&v); err == nil && (v.Action == core.Answer && p != core.Request || v.Action == core.Retry && p != core.Response) {
		err = errVerdict // links that stand before this one would not see the answer, or there is none yet
	}
	if err != nil {
		return core.Verdict{Findings: v.Findings}, core.FaultVerdict, err
	}
	return v, 0, nil
}

var errVerdict = errors.New("the stage gave no usable verdict")

func checkVerdict(v *core.Verdict) error {
	switch v.Action {
	case core.Pass, core.Rewrite:
		return nil
	case core.Answer:
		if v.Reply != nil {
			return nil
		}
	case core.Block:
		if v.Err != nil {
			return nil
		}
	case core.Retry:
		if v.Err != nil && len(v.Append) > 0 {
			return nil
		}
	}
	return errVerdict
}

// panicked describes a panic without its value, which may hold a prompt. What
// the runtime itself says is safe.
func panicked(r any) error {
	if e, ok := r.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", e)
	}
	return fmt.Errorf("panic with a value of type %T", r)
}

// note adds the findings of a link to those of the exchange.
func note(x *core.Exchange, l *Link, p core.Phase, fs []core.Finding) {
	for i := range fs {
		x.Findings = append(x.Findings, fs[i])
		f := &x.Findings[len(x.Findings)-1]
		f.Link, f.Phase, f.Shadow = l.Name, p, l.Mode == Shadow
	}
}
