package proxy

import (
	"cmp"
	"context"
	"net"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/socket"
)

func (c *call) handle(ctx context.Context, in *inlet) *core.Error {
	refused := cmp.Or(c.authenticateCaller(in), in.refused)
	if c.x.Principal != nil { // refusals of known callers are recorded too
		if err := c.records.reserve(ctx); err != nil {
			return err
		}
	}
	if refused != nil {
		c.state.outOfScope = refused.Code == core.CodeForbidden
		return refused
	}
	if t := c.snap.Tiers; t != nil && !c.isOfGuard() {
		release, err := t.Acquire(ctx, route.FindTier(c.x.Principal.Tier))
		if err != nil {
			return core.ConvertError(err)
		}
		c.slot = release
		defer c.releaseSlot()
	}
	if c.peer != nil {
		return c.peer.handle(ctx)
	}
	if err := c.decode(in); err != nil {
		return err
	}
	c.joinToolTrace()
	// A stage that answers or blocks ends the request phase; its answer still passes the links before it.
	switch d := c.chain.RunRequest(ctx, &c.x); d.Action {
	case core.Block:
		return c.newBlockedError(d)
	case core.Answer:
		return c.answer.deliverStageAnswer(ctx, d)
	}
	if c.chain.Compact(&c.x) {
		c.body = scratch.Reset(c.body)
	}
	plan, err := c.planTargets()
	if err != nil {
		return err
	}
	if err := c.records.appendRequest(ctx); err != nil {
		return err
	}
	c.noteOffer()
	if d, ok := c.findCounter(plan); ok {
		return c.answerCount(d, plan[0])
	}
	return c.requestAnswer(ctx, plan)
}

// releaseSlot releases the tier slot. It is called when the provider is done, or when the exchange ends: a client that
// reads its answer slowly must not keep others waiting.
func (c *call) releaseSlot() {
	if c.slot != nil {
		c.slot()
		c.slot = nil
	}
}

// planTargets returns the targets that may serve the model.
func (c *call) planTargets() ([]core.TargetRef, *core.Error) {
	if l, ok := c.line.(socket.FixedLine); ok {
		c.state.routed = true
		if c.snap.Providers[l.FixedTarget().Provider] == nil { // a reload has removed it
			return nil, newNotInSessionError()
		}
		return append(c.targets[:0], l.FixedTarget()), nil
	}
	region := c.x.Principal.Region
	q := c.snap.Traffic.BuildQuery(c.x.Model(), region)
	q.Chosen = c.x.IsModelChosen()
	plan, known := c.snap.Router.PlanFor(c.targets[:0], q)
	c.state.routed = known
	switch {
	case !known:
		return nil, &core.Error{
			Kind:   core.NotFound,
			Code:   core.CodeModelNotFound,
			Param:  "model",
			Public: "no provider serves the requested model; GET /v1/models lists the models, and a route or a provider prefix (openai/…) adds others",
		}
	case len(plan) == 0:
		return nil, route.NewNotInRegionError(region)
	}
	return plan, c.checkHostedTools()
}

// requestAnswer sends the request and delivers the answer.
func (c *call) requestAnswer(ctx context.Context, plan []core.TargetRef) *core.Error {
	if n := c.countPrompts(); n > 1 && !c.x.Head.Stream {
		return c.answer.completePrompts(ctx, plan, n)
	}
	defer c.attempts.reportLastCall()
	res, err := c.attempts.callTargets(ctx, plan)
	for err == nil {
		if err = c.answer.deliver(ctx, plan, res); err == nil {
			return nil
		}
		res, err = c.attempts.retryAttempt(ctx, err)
	}
	return err
}

// authenticateCaller authenticates the caller.
func (c *call) authenticateCaller(in *inlet) *core.Error {
	if in.grant != nil {
		return c.acceptGrant(in.grant)
	}
	if in.findCaller != nil {
		return in.findCaller()
	}
	return c.authenticate(in.scopes)
}

func (c *call) authenticate(scopes []string) *core.Error {
	p, err := c.proxy.Auth.Authenticate(c.snap.Keys, c.r, c.x.Received)
	if err != nil {
		return err
	}
	c.x.Principal = p
	for _, s := range scopes {
		if err = auth.RequireScope(p, s); err != nil {
			return err
		}
	}
	return checkActive(p)
}

// checkActive refuses a suspended tenant: it can read, but must not start anything.
func checkActive(p *core.Principal) *core.Error {
	if p.Suspended {
		return &core.Error{Kind: core.Forbidden, Code: core.CodeTenantSuspended, Public: "the tenant is suspended"}
	}
	return nil
}

// decode reads the body within its size limit and scans it for texts.
func (c *call) decode(in *inlet) *core.Error {
	if err := c.readBody(); err != nil {
		return err
	}
	c.describeRequest(c.r.Header)
	c.x.Request.Raw = c.body
	e := c.scanBody(in)
	if h := c.x.Hosted; h != nil && h.Refusal != nil && error(e) == h.Refusal {
		e = c.applyHostedRule(in, e)
	}
	if e != nil {
		return e
	}
	if e := c.x.Head.File; e != nil && c.snap.JudgedFiles {
		return e
	}
	if e := route.CheckModelName(c.x.Head.Model, "model"); e != nil {
		return e
	}
	if e := auth.RequireModel(c.x.Principal, c.x.Head.Model, "model"); e != nil {
		return e
	}
	c.x.BareModel = c.snap.Router.StripPrefix(c.x.Model())
	c.kept = c.proxy.Capture.Begin(&c.x, c.d)
	if d, ok := c.d.(modelFilter); ok && !c.embeds() {
		return d.CheckModel(c.x.BareModel)
	}
	return nil
}

// describeRequest sets what stages see of the request besides its body.
func (c *call) describeRequest(header http.Header) {
	c.x.Request.Header, c.x.Request.Peer, c.x.Request.Path = header, cutPeer(c.r.RemoteAddr), c.r.URL.Path
}

// modelFilter is a dialect that accepts only models for embeddings. It knows some by their names.
type modelFilter interface {
	CheckModel(model string) *core.Error
}

// embeds reports whether a provider knows the client's model as one that makes embeddings.
func (c *call) embeds() bool {
	for _, p := range c.snap.Providers {
		if p, ok := p.(interface{ Embeds(model string) bool }); ok && p.Embeds(c.x.BareModel) {
			return true
		}
	}
	return false
}

func (c *call) newBlockedError(d chain.Decision) *core.Error {
	c.x.Outcome.By = d.Link
	switch {
	case d.Err.Kind == core.Canceled:
		c.x.Outcome.Kind = core.ClientGone
	case d.Fault:
		c.x.Outcome.Kind = core.Faulted
	default:
		c.x.Outcome.Kind = core.Blocked
	}
	return d.Err
}

// cutPeer returns the network address of a connection's other end, without the port.
func cutPeer(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}
