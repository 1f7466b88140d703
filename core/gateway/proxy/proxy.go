// Package proxy is the data plane: one function, serve, carries an exchange from the listener to the meter. This file
// contains its steps in the order in which they happen.
package proxy

import (
	"context"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// Options configure the data plane. Everything is required unless marked optional.
type Options struct {
	Snapshots *snapshot.Holder
	Audit     *audit.Log
	Telemetry *telemetry.Telemetry
	Started   time.Time
	Capture   *capture.Recorder // optional: nothing is captured
	// Ended is called after each exchange of a known caller. It must not block or retain x. Optional.
	Ended func(x *core.Exchange)
	// Recent keeps a summary of the newest exchanges. Optional.
	Recent *recent.Ring
}

// Proxy serves the data plane.
type Proxy struct {
	Options
	calls     sync.Pool
	keepAlive time.Duration // see keepAliveAfter
}

// New returns a proxy.
func New(o Options) *Proxy {
	p := &Proxy{Options: o, keepAlive: keepAliveAfter}
	p.calls.New = func() any { return &call{proxy: p} }
	return p
}

// call is the state of one exchange while it is served. Calls are pooled.
type call struct {
	proxy    *Proxy
	w        gin.ResponseWriter
	r        *http.Request
	d        core.Dialect
	snap     *snapshot.Snapshot
	chain    *chain.Chain // of the snapshot, or built from it for the playground
	x        core.Exchange
	state    state
	body     []byte // as received
	sent     []byte // as forwarded, if edited
	answer   []byte // as received from the provider
	out      []byte
	req      upstream.Request
	room     upstream.Room
	events   sse.Splitter
	event    core.Event
	records  store.Room // reserved for the records of the exchange
	payload  audit.Payload
	removed  audit.Payload // of PII_REDACTED, which is queued together with the next record
	inner    audit.Payload // an object inside payload
	list     []byte        // a list inside payload
	values   []string      // of the answer's header
	usage    meter.Record
	attempts attempts
	sample   sample    // of a streamed answer, since the provider's last count
	dropped  llm.Usage // of calls whose answers did not reach the client
	cuts     cuts
	tr       *translation       // nil: client and provider speak the same dialect
	targets  [4]core.TargetRef  // backing array of a plan
	prompt   int                // index of the prompt that is being asked
	relaxed  bool               // a strict schema was sent as a non-strict one
	asArray  bool               // a stream is sent as one JSON array
	rejected rejectedAnswers    // answers that links did not accept
	effort   string             // from the model's name, as the editor client spells it
	kept     *capture.Draft     // nil: the exchange is not captured
	trace    *telemetry.Trace   // nil: not traced
	grant    *Grant             // nil: a key authenticates the caller
	hangup   *downstream.Hangup // of the connection; nil: none
}

// state is how far an exchange has progressed.
type state struct {
	admitted bool // there is room for the records of the exchange
	audited  bool // GATEWAY_REQUEST is written
	asked    bool // the request may have been sent to a provider
	headOut  bool // a status was sent to the client
	crashed  bool
}

// inlet is what the endpoint determines before the body is read.
type inlet struct {
	shape  core.Dialect
	scopes []string
	model  string // from the path
	stream bool   // the path asks for a stream
	array  bool   // the stream is sent as one JSON array
	editor bool   // the body determines the dialect; see editorBody
	grant  *Grant // nil: a key authenticates the caller
}

// serve carries one exchange through the gateway.
func (p *Proxy) serve(w gin.ResponseWriter, r *http.Request, in *inlet) {
	c := p.receive(w, r, in)
	defer c.finish()
	if err := c.handle(c.hangup.Context(r.Context()), in); err != nil {
		c.refuse(err)
	}
}

func (p *Proxy) receive(w gin.ResponseWriter, r *http.Request, in *inlet) *call {
	c := p.calls.Get().(*call)
	c.w, c.r, c.d = w, r, in.shape
	c.snap = p.Snapshots.Acquire()
	c.chain = c.snap.Chain
	c.x.Received = time.Now()
	c.asArray, c.hangup = in.array, downstream.HangupOf(r.Context())
	c.x.Dialect, c.x.Head.Model, c.x.Head.Stream = in.shape.Name(), in.model, in.stream
	c.x.ID, c.x.Trace = identify(r.Header)
	c.beginTrace()
	w.Header()["X-Trace-Id"] = c.headerValue(c.x.Trace)
	return c
}

func (c *call) handle(ctx context.Context, in *inlet) *core.Error {
	refused := c.enter(in)
	if c.x.Principal != nil { // what a known caller is refused is recorded as well
		if err := c.reserveRecords(ctx); err != nil {
			return err
		}
	}
	if refused != nil {
		return refused
	}
	if t := c.snap.Tiers; t != nil {
		release, err := t.Acquire(ctx, route.TierOf(c.x.Principal.Tier))
		if err != nil {
			return core.AsError(err)
		}
		defer release()
	}
	if err := c.decode(in); err != nil {
		return err
	}
	// A stage that answers or blocks ends the request phase; its answer still passes the links before it.
	switch d := c.chain.Request(ctx, &c.x); d.Action {
	case core.Block:
		return c.blockedError(d)
	case core.Answer:
		return c.reply(ctx, d)
	}
	if c.chain.Compact(&c.x) {
		c.body = scratch.Keep(c.body)
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	if err := c.audit(ctx); err != nil {
		return err
	}
	if d, ok := c.countsItself(plan); ok {
		return c.count(d, plan[0])
	}
	return c.ask(ctx, plan)
}

// plan returns the targets that may serve the model.
func (c *call) plan() ([]core.TargetRef, *core.Error) {
	region := c.x.Principal.Region
	plan, known := c.snap.Router.PlanFor(c.targets[:0], c.snap.Traffic.Query(c.x.Model(), region))
	switch {
	case !known:
		return nil, &core.Error{
			Kind:   core.NotFound,
			Code:   core.CodeModelNotFound,
			Param:  "model",
			Public: "no provider serves the requested model; GET /v1/models lists the models, and a route or a provider prefix (openai/…) adds others",
		}
	case len(plan) == 0:
		return nil, route.NotInRegion(region)
	}
	return plan, nil
}

// ask sends the request and delivers the answer.
func (c *call) ask(ctx context.Context, plan []core.TargetRef) *core.Error {
	if n := c.prompts(); n > 1 && !c.x.Head.Stream {
		return c.askEach(ctx, plan, n)
	}
	defer c.endAttempts()
	res, err := c.send(ctx, plan)
	for err == nil {
		if err = c.deliver(ctx, plan, res); err == nil {
			return nil
		}
		res, err = c.retry(ctx, err)
	}
	return err
}

// now returns the current time, computed from the time of receipt: time.Now also reads the wall clock and costs twice
// as much.
func (c *call) now() time.Time { return c.x.Received.Add(time.Since(c.x.Received)) }

// enter authenticates the caller.
func (c *call) enter(in *inlet) *core.Error {
	if in.grant != nil {
		return c.acceptGrant(in.grant)
	}
	return c.authenticate(in.scopes)
}

func (c *call) authenticate(scopes []string) *core.Error {
	p, err := c.snap.Keys.Authenticate(c.r.Header, c.x.Received)
	if err != nil {
		return err
	}
	c.x.Principal = p
	for _, s := range scopes {
		if err = auth.Require(p, s); err != nil {
			return err
		}
	}
	return checkActive(p)
}

// checkActive refuses a suspended tenant: it may read, but not start anything.
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
	c.x.Request.Header = c.r.Header
	c.x.Request.Raw = c.body
	if in.editor {
		if e := c.decodeEditor(); e != nil {
			return e
		}
	} else if e := c.d.Scan(&c.x); e != nil {
		return e
	}
	c.x.Bare = c.snap.Router.Bare(c.x.Model())
	c.kept = c.proxy.Capture.Begin(&c.x, c.d)
	if d, ok := c.d.(picky); ok {
		return d.CheckModel(c.x.Bare)
	}
	return nil
}

// picky is a dialect that accepts only certain model names.
type picky interface {
	CheckModel(model string) *core.Error
}

func (c *call) blockedError(d chain.Decision) *core.Error {
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

// reply delivers a stage's answer through the links before it.
func (c *call) reply(ctx context.Context, d chain.Decision) *core.Error {
	c.x.Outcome.Kind, c.x.Outcome.By = core.Answered, d.Link
	if err := c.audit(ctx); err != nil {
		return err
	}
	c.x.Response.Status = d.Reply.Status
	if d.Reply.Status == 0 {
		c.x.Response.Status = http.StatusOK
	}
	defer func() { c.x.Usage = llm.Usage{} }() // the usage in the answer belongs to another exchange, or to none
	if mediaType(d.Reply.Header.Get("Content-Type"), eventStream) {
		return c.replay(ctx, d)
	}
	c.x.Response.Raw = d.Reply.Raw
	if err := c.d.ScanResponse(&c.x); err != nil {
		return c.unknownAnswer(d.Link, err)
	}
	if d, err := c.govern(ctx); err != nil || d != nil {
		return c.refuseRetry(d, err)
	}
	c.write(c.x.Response.Status, "application/json", c.x.Response.Raw)
	return nil
}

// unknownAnswer is the error of a stage's answer that the client could not read.
func (c *call) unknownAnswer(link string, err error) *core.Error {
	c.x.Outcome.Kind = core.Faulted
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable, Link: link, Err: err,
		Public: "the guard " + strconv.Quote(link) + " returned an answer that is not valid in this API, so it was refused",
	}
}

// finish settles the exchange. It runs on every path, with a context that a hang-up does not end.
func (c *call) finish() {
	if r := recover(); r != nil {
		c.proxy.Telemetry.Panic(c.x.ID, r, debug.Stack())
		c.crash()
	}
	c.settleTranslation()
	c.estimate()
	c.settle(settling{c.r.Context()})
	c.trace.End(&c.x)
	c.release()
}

// crash reports a panic to the client: as a status, or in the stream.
func (c *call) crash() {
	c.state.crashed, c.x.Outcome.Kind, c.x.Outcome.Complete = true, core.Crashed, false
	e := &core.Error{Kind: core.Internal, Code: core.CodeInternal, Public: "the gateway failed to handle this request"}
	c.refuse(e)
	if c.state.headOut && c.x.Head.Stream && c.x.Outcome.Status == http.StatusOK {
		c.out = c.d.AppendEnd(c.out[:0], nil, nil, e)
		_, _ = c.w.Write(c.out) // the exchange has failed either way
	}
}

// settling is the context for work after an exchange has ended: a hang-up does not end it. It has no deadline, because
// a timer per exchange would cost more than the records: a full queue fails at once, and a Finisher has its own limits.
type settling struct{ context.Context }

// Deadline reports that there is none.
func (settling) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done returns nil: the context never ends.
func (settling) Done() <-chan struct{} { return nil }

// Err is always nil.
func (settling) Err() error { return nil }

// release returns the call to the pool.
func (c *call) release() {
	p := c.proxy
	c.snap.Release()
	if c.state.crashed { // a panic may have left it half done
		return
	}
	c.x.Reset()
	c.events.Reset()
	c.event.Reset(nil)
	clear(c.req.Header)
	// Large values are assigned one by one: in a common assignment they are built elsewhere and copied.
	c.req = upstream.Request{Header: c.req.Header[:0]}
	c.room = upstream.Room{}
	c.usage = meter.Record{}
	c.records = store.Room{}
	c.attempts = attempts{}
	c.dropped = llm.Usage{}
	c.rejected = rejectedAnswers{}
	c.cuts = c.cuts[:0]
	c.w, c.r, c.d, c.snap, c.chain, c.state = nil, nil, nil, nil, nil, state{}
	c.tr, c.effort, c.prompt, c.relaxed = nil, "", 0, false
	c.kept, c.trace, c.grant, c.hangup = nil, nil, nil, nil
	c.sample = sample{text: scratch.Keep(c.sample.text)}
	clear(c.values)
	c.values = c.values[:0]
	c.body, c.sent = scratch.Keep(c.body), scratch.Keep(c.sent)
	c.answer, c.out = scratch.Keep(c.answer), scratch.Keep(c.out)
	p.calls.Put(c)
}
