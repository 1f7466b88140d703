package process

import (
	"context"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

var exchanges = sync.Pool{New: func() any { return new(core.Exchange) }}

// outcomes are the ways in which an exchange ends, by name.
var outcomes = func() map[string]core.OutcomeKind {
	m := map[string]core.OutcomeKind{}
	for k := core.Served; k <= core.Crashed; k++ {
		m[k.String()] = k
	}
	return m
}()

// readExchange builds an exchange from the gateway's message.
func readExchange(e *pb.Exchange) *core.Exchange {
	x := exchanges.Get().(*core.Exchange)
	x.Principal = &core.Principal{Tenant: e.GetTenant(), KeyID: e.GetKeyId(), KeyName: e.GetKeyName(), Scopes: e.GetScopes()}
	x.ID, x.Trace, x.Dialect = e.GetExchange(), e.GetTrace(), e.GetDialect()
	x.Head = core.Head{
		Task:      llm.FindTask(e.GetTask()),
		Model:     e.GetModel(),
		Stream:    e.GetStream(),
		MaxTokens: e.GetMaxTokens(),
		Effort:    e.GetEffort(),
		User:      e.GetUser(),
		Tools:     e.GetTools(),
	}
	x.Target = core.TargetRef{Route: e.GetRoute(), Provider: e.GetProvider(), Model: e.GetTarget(), Region: e.GetRegion()}
	x.Response.Status = int(e.GetStatus())
	if u := e.GetUsage(); u != nil {
		x.Usage = llm.Usage{Reported: true, Input: u.Input, Output: u.Output}
	}
	x.Outcome.Kind, x.Outcome.Status = outcomes[e.GetOutcome()], int(e.GetStatus())
	x.Cost, x.Finish = e.GetCost(), e.GetFinish()
	return x
}

// releaseExchange returns an exchange to the pool.
func releaseExchange(x *core.Exchange) {
	x.Reset()
	exchanges.Put(x)
}

// fillBody puts the texts into a body.
func fillBody(body *core.Payload, segments []*pb.Segment) {
	for _, s := range segments {
		body.AddText(
			core.Segment{Role: core.Role(s.Role), Kind: core.SegmentKind(s.Kind), Joined: s.Joined, Message: -1, Part: -1, Field: s.Path},
			s.Text,
		)
	}
}

// decodeKept decodes the state that a stage stored.
func decodeKept(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

type digestKey struct{}

// DigestOf returns the SHA-256, in hex, of the request's body after the links before this one, for use as a key. ctx is the
// context that the stage received with a request or a target. The result is empty unless the manifest requests the field
// digest.
func DigestOf(ctx context.Context) string {
	digest, _ := ctx.Value(digestKey{}).(string)
	return digest
}

func (s *server) check(ctx context.Context, c *pb.Check) *pb.FromPlugin {
	x := readExchange(c.Exchange)
	defer releaseExchange(x)
	body := &x.Request
	if c.Phase == pb.Phase_PHASE_RESPONSE {
		body = &x.Response
	}
	fillBody(body, c.Segments)
	for _, p := range c.Places {
		f := readPlace(p)
		if f.Phase, f.Segment = core.Request, int(p.Segment); c.Phase == pb.Phase_PHASE_RESPONSE {
			f.Phase = core.Response
		}
		x.Findings = append(x.Findings, f)
	}
	findCall(ctx).body = c.Body
	if digest := c.Exchange.GetDigest(); digest != "" {
		ctx = context.WithValue(ctx, digestKey{}, digest)
	}
	v, err := s.stage.Check(ctx, x, core.Phase(c.Phase), decodeKept(c.Kept))
	if err != nil {
		return newFailureMessage(err)
	}
	m := convertVerdict(&v, 0)
	if out := m.GetVerdict(); out != nil {
		out.KeepAnswer = findCall(ctx).keep
	}
	return m
}

// readPlace returns a place as a finding of an earlier link.
func readPlace(p *pb.Place) core.Finding {
	return core.Finding{
		Link: p.Link, Label: p.Label, Kind: core.FindingKind(p.Kind), Score: p.Score, Start: int(p.Start), End: int(p.End),
	}
}

func (s *server) finish(ctx context.Context, f *pb.Finish) *pb.FromPlugin {
	if t, ok := s.stage.(core.Finisher); ok {
		x := readExchange(f.Exchange)
		defer releaseExchange(x)
		findCall(ctx).body = f.Answer
		t.Finish(ctx, x, decodeKept(f.Kept))
	}
	return newDoneMessage()
}
