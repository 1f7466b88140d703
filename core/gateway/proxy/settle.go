package proxy

import (
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// audit appends the GATEWAY_REQUEST record, once.
func (c *call) audit(ctx context.Context) *core.Error {
	if c.state.audited || c.snap.Unrecorded {
		return nil
	}
	x := &c.x
	p := &c.payload
	p.Reset()
	p.Str("request_id", x.ID)
	if x.Trace != x.ID {
		p.Str("trace_id", x.Trace)
	}
	p.Str("shape", x.Dialect)
	if pr := x.Principal; pr != nil {
		p.Str("api_key", pr.KeyPrefix)
		p.Str("api_key_id", pr.KeyID)
	}
	p.Opt("model", clipName(x.Head.Model))
	p.Bool("stream", x.Head.Stream)
	p.Int("messages", int64(x.Head.Messages))
	p.Opt("user", clipName(x.Head.User))
	if g := c.grant; g != nil {
		p.Opt("actor", g.Actor)
		p.Opt("shadowed", strings.Join(g.Shadow, ","))
	}
	c.addFindings(p, core.Request)
	if err := c.append(ctx, audit.Event{Type: audit.GatewayRequest, Payload: p.Bytes(), At: c.now()}); err != nil {
		return notRecordable(err)
	}
	c.state.audited = true
	return nil
}

// addFindings adds the number of findings by label and link.
func (c *call) addFindings(p *audit.Payload, phase core.Phase) {
	type tally struct {
		link, label string
		shadow      bool
		n           int64
	}
	var few [8]tally
	sums := few[:0]
next:
	for i := range c.x.Findings {
		f := &c.x.Findings[i]
		if f.Phase != phase {
			continue
		}
		for k := range sums {
			if sums[k].link == f.Link && sums[k].label == f.Label && sums[k].shadow == f.Shadow {
				sums[k].n++
				continue next
			}
		}
		sums = append(sums, tally{f.Link, f.Label, f.Shadow, 1})
	}
	if len(sums) == 0 {
		return
	}
	inner, list := &c.inner, append(c.list[:0], '[')
	for i, s := range sums {
		if i > 0 {
			list = append(list, ',')
		}
		inner.Reset()
		inner.Str("link", s.link)
		inner.Str("label", s.label)
		inner.Int("count", s.n)
		if s.shadow {
			inner.Bool("shadow", true)
		}
		list = append(list, inner.Bytes()...)
	}
	c.list = append(list, ']')
	p.Raw("findings", c.list)
}

// settle books the exchange: finishers, usage, audit, log, metrics. A blocked request gets both records too.
func (c *call) settle(ctx context.Context) {
	x := &c.x
	ended := c.now() // read once for everything that is reported about the end
	latency := ended.Sub(x.Received)
	if x.Outcome.Kind == 0 {
		x.Outcome.Kind = core.Refused
	}
	c.account()
	c.chain.Finish(ctx, x)
	c.kept.Finish(x)
	if x.Principal == nil { // not authenticated: one record is enough
		c.proxy.stranger(ctx, x, &c.payload)
		c.proxy.Telemetry.Exchange(x, latency)
		return
	}
	if c.proxy.Ended != nil {
		c.proxy.Ended(x)
	}
	c.proxy.Recent.Add(x, latency)
	if !c.state.admitted { // exchanges are not recorded, or this one was refused for want of room
		c.proxy.Telemetry.Exchange(x, latency)
		return
	}
	if err := c.audit(ctx); err != nil {
		c.proxy.Telemetry.Lost("audit", x.ID, err)
	}
	if err := c.policyDecision(ctx); err != nil {
		c.proxy.Telemetry.Lost("audit", x.ID, err)
	}
	both := [2]audit.Event{{Type: audit.PIIRedacted, At: ended}, {Type: audit.GatewayResponse, At: ended}}
	events := both[1:]
	if c.redacted() {
		both[0].Payload, events = c.removed.Bytes(), both[:]
	}
	c.respondRecord(latency)
	both[1].Payload = c.payload.Bytes()
	c.conclude(ctx, latency, events)
	c.proxy.Audit.Release(&c.records)
	c.proxy.Telemetry.Exchange(x, latency)
}

func (c *call) respondRecord(latency time.Duration) {
	x, p := &c.x, &c.payload
	p.Reset()
	p.Str("request_id", x.ID)
	p.Opt("model", clipName(sentModel(x)))
	p.Opt("provider", x.Target.Provider)
	p.Int("status", int64(x.Outcome.Status))
	p.Str("outcome", x.Outcome.Kind.String())
	p.Opt("by", x.Outcome.By)
	if e := x.Outcome.Err; e != nil {
		p.Str("code", e.Code)
	}
	p.Bool("complete", x.Outcome.Complete)
	p.Int("latency_ms", latency.Milliseconds())
	if pr := x.Principal; pr != nil {
		p.Str("api_key", pr.KeyPrefix)
	}
	if u := &x.Usage; u.Known() {
		p.Int("tokens_prompt", u.Input)
		p.Int("tokens_completion", u.Output)
		p.Int("tokens_total", u.Total())
		if u.Estimated {
			p.Bool("tokens_estimated", true)
		}
	}
	c.addFindings(p, core.Response)
	c.addFaults(p)
}

// sentModel returns the model name that was sent to the provider, or the client's.
func sentModel(x *core.Exchange) string {
	if x.Target.Model != "" {
		return x.Target.Model
	}
	return x.Head.Model
}
