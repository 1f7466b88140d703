package replay

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// Clock is the clock for stages and their state. It stands at the time of the replayed exchange.
type Clock struct{ now time.Time }

// Now returns that time.
func (c *Clock) Now() time.Time { return c.now }

// Player runs exchanges through a chain. It is not safe for concurrent use.
type Player struct {
	Chain *chain.Chain
	Clock *Clock
	Tools *ToolFacts // optional
	// Bare removes a provider's prefix from a model name.
	Bare func(model string) string
}

var seed = maphash.MakeSeed()

// Play runs a record through the chain.
func (p *Player) Play(ctx context.Context, r *capture.Record) (o Outcome) {
	d := FindShape(r)
	switch {
	case r.Left != "":
		return Outcome{Kind: Skipped, Why: "the bodies were not kept: " + r.Left}
	case d == nil:
		return Outcome{Kind: Skipped, Why: "the shape cannot be replayed: " + r.Dialect}
	}
	p.Clock.now = r.At
	x := r.Exchange()
	addStandIns(x)
	x.Hosted = &hosted.Found{Allowed: true} // the rule was applied before the exchange was captured
	if e := d.Scan(x); e != nil {
		return Outcome{Kind: Skipped, Why: "the request cannot be read: " + e.Code}
	}
	p.Tools.set(r)
	if s, ok := d.(*mcp.Stored); ok {
		describeToolCall(x, s)
	} else if p.Bare != nil {
		x.BareModel = p.Bare(x.Model())
	}
	defer func() {
		x.Usage, x.Cost, x.Priced = r.Usage, r.Cost, r.Priced
		x.Outcome.Kind, x.Outcome.Complete = mapOutcomeKind(o.Kind), r.Complete
		p.Chain.Finish(ctx, x)
		o.gather(x)
	}()
	o = p.play(ctx, x, d, r)
	o.Request = maphash.Bytes(seed, x.Request.Raw)
	return o
}

func (p *Player) play(ctx context.Context, x *core.Exchange, d core.Dialect, r *capture.Record) Outcome {
	if dec := p.Chain.RunRequest(ctx, x); dec.Action != core.Pass {
		return newDecidedOutcome(dec, core.Request)
	}
	if r.Target.Provider == "" {
		return Outcome{Kind: Forwarded}
	}
	x.Target = r.Target
	if dec := p.Chain.RunTarget(ctx, x); dec.Action != core.Pass {
		return newDecidedOutcome(dec, core.Target)
	}
	if len(r.Response) == 0 || !p.Chain.Governs(x) {
		return Outcome{Kind: Forwarded}
	}
	if r.Stream {
		return p.playStream(ctx, x, d, r.Response)
	}
	x.Response.Raw, x.Response.Status = r.Response, r.Status
	if err := d.ScanResponse(x); err != nil {
		return Outcome{Kind: Forwarded, Why: "the answer cannot be read"}
	}
	if dec := p.Chain.RunResponse(ctx, x); dec.Action != core.Pass {
		return newDecidedOutcome(dec, core.Response)
	}
	return Outcome{Kind: Forwarded, Response: maphash.Bytes(seed, x.Response.Raw)}
}

func (p *Player) playStream(ctx context.Context, x *core.Exchange, d core.Dialect, raw []byte) Outcome {
	unreadable := Outcome{Kind: Forwarded, Why: "the answer cannot be read"}
	links, e := p.Chain.Stream(ctx, x, d)
	defer links.Close(ctx)
	if e != nil {
		return newFailedOutcome(e)
	}
	var events sse.Splitter
	if events.Write(raw) != nil {
		return unreadable
	}
	var ev core.Event
	var out []byte
	for piece := events.Next(); piece != nil && !ev.Done; piece = events.Next() {
		ev.Reset(piece)
		if d.ScanEvent(x, &ev) != nil {
			return unreadable
		}
		if out, e = links.RunEvent(ctx, &ev, out); e != nil {
			return newEndedOutcome(links, e)
		}
	}
	if !ev.Done {
		if out, e = links.End(ctx, out); e != nil {
			return newEndedOutcome(links, e)
		}
	}
	return Outcome{Kind: Forwarded, Response: hashTexts(d, out)}
}

// newEndedOutcome returns the outcome of a stream that a link has ended.
func newEndedOutcome(links *chain.Stream, e *core.Error) Outcome {
	if again := links.RetryDecision(); again != nil {
		return newDecidedOutcome(*again, core.Response)
	}
	return newFailedOutcome(e)
}

func newFailedOutcome(e *core.Error) Outcome {
	o := Outcome{Kind: Blocked, Link: e.Link, Phase: core.Response.String(), Code: e.Code}
	if e.Code == core.CodeGuardUnavailable {
		o.Kind = Faulted
	}
	return o
}

func newDecidedOutcome(d chain.Decision, p core.Phase) Outcome {
	o := Outcome{Link: d.Link, Phase: p.String()}
	if d.Err != nil {
		o.Code = d.Err.Code
	}
	switch {
	case d.Action == core.Answer:
		o.Kind = Answered
	case d.Action == core.Retry:
		o.Kind = Retried
	case d.Fault:
		o.Kind = Faulted
	default:
		o.Kind = Blocked
	}
	return o
}

func mapOutcomeKind(kind string) core.OutcomeKind {
	switch kind {
	case Answered:
		return core.Answered
	case Blocked:
		return core.Blocked
	case Faulted:
		return core.Faulted
	}
	return core.Served
}
