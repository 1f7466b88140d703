package proxy

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// finish settles the exchange. It runs on every path, with a context that a hang-up does not end. A panic in one step does
// not skip the next: what was held is settled, and the snapshot is released.
func (c *call) finish() {
	if r := recover(); r != nil {
		c.notePanic(r, debug.Stack())
		c.runStep(c.answerPanic)
	}
	defer c.release()
	c.runStep(c.closeBill)
	c.runStep(func() { c.settle(settling{c.r.Context()}) })
	c.runStep(func() { c.trace.End(&c.x) })
}

// runStep runs a step that must not keep the steps behind it from running.
func (c *call) runStep(step func()) {
	defer func() {
		if r := recover(); r != nil {
			c.notePanic(r, debug.Stack())
		}
	}()
	step()
}

// notePanic counts and logs a panic. The call is not used again: it may be half done.
func (c *call) notePanic(value any, stack []byte) {
	c.state.crashed = true
	c.proxy.Telemetry.RecordPanic(c.x.ID, value, stack)
}

// finishLinks tells the links of the chain how the exchange ended.
func (c *call) finishLinks(ctx context.Context) {
	for _, p := range c.chain.Finish(ctx, &c.x) {
		c.proxy.Telemetry.RecordPanic(c.x.ID, p.Value, p.Stack)
	}
}

// conclude lets the links complete the header of a whole answer with what the exchange has used.
func (c *call) conclude() {
	if len(c.x.Attempts) == 0 { // no call was made
		return
	}
	c.closeBill()
	for _, p := range c.chain.Conclude(&c.x) {
		c.proxy.Telemetry.RecordPanic(c.x.ID, p.Value, p.Stack)
	}
}

// closeBill sums what the exchange has used, once.
func (c *call) closeBill() {
	if c.state.billed {
		return
	}
	c.state.billed = true
	c.runStep(c.answer.settleTranslation)
	c.runStep(c.bill.estimateCutOff)
	if c.x.Outcome.Kind == 0 {
		c.x.Outcome.Kind = core.Refused
	}
	c.runStep(c.bill.sumCosts)
}

// recordBeforeEnd makes the records of an answered exchange durable before the client gets the end of its answer, if
// configured. The recorded outcome assumes that the answer arrives: no record written earlier can say whether the last
// bytes do.
func (c *call) recordBeforeEnd(ctx context.Context) *core.Error {
	if !c.snap.AuditSync || !c.state.admitted || c.state.recorded {
		return nil
	}
	c.x.Outcome.Complete = true
	c.closeBill()
	ended := c.readTime()
	if err := c.recordEnd(ctx, ended, ended.Sub(c.x.Received)); err != nil {
		return newNotRecordableError(err)
	}
	return nil
}

// recordEnd appends the last records of the exchange, once.
func (c *call) recordEnd(ctx context.Context, ended time.Time, latency time.Duration) error {
	if c.state.recorded {
		return nil
	}
	c.state.recorded = true
	if err := c.records.appendRequest(ctx); err != nil {
		c.proxy.Telemetry.ReportLoss("audit", c.x.ID, err)
	}
	if err := c.records.appendPolicyDecision(ctx); err != nil {
		c.proxy.Telemetry.ReportLoss("audit", c.x.ID, err)
	}
	both := [2]audit.Event{{Type: audit.PIIRedacted, At: ended}, {Type: audit.GatewayResponse, At: ended}}
	events := both[1:]
	if c.records.fillRedacted() {
		both[0].Payload, events = c.records.removed.Bytes(), both[:]
	}
	c.records.fillResponse(latency)
	both[1].Payload = c.records.payload.Bytes()
	return c.records.appendLast(ctx, latency, events)
}

// answerPanic reports a panic to the client: as a status, or in the stream.
func (c *call) answerPanic() {
	c.state.crashed, c.x.Outcome.Kind, c.x.Outcome.Complete = true, core.Crashed, false
	e := &core.Error{Kind: core.Internal, Code: core.CodeInternal, Public: "the gateway failed to handle this request"}
	c.refuse(e)
	if c.state.headOut && c.x.Head.Stream && c.x.Outcome.Status == http.StatusOK {
		c.out = c.d.AppendEnd(c.out[:0], nil, nil, e)
		_, _ = c.w.Write(c.out) // the exchange has failed either way
	}
}

// settle books the exchange: finishers, usage, audit, log, metrics. A blocked request gets both records too.
func (c *call) settle(ctx context.Context) {
	x := &c.x
	ended := c.readTime() // read once for everything that is reported about the end
	latency := ended.Sub(x.Received)
	c.finishLinks(ctx)
	c.runStep(func() { c.kept.Finish(x) })
	x.Head.Model, c.state.routed = c.findRecordedModel(), true
	if x.Principal == nil { // not authenticated: one record is enough
		c.proxy.recordUnauthenticated(ctx, x, &c.records.payload)
		c.proxy.Telemetry.RecordExchange(x, latency)
		return
	}
	if c.proxy.Ended != nil {
		c.runStep(func() { c.proxy.Ended(x) })
	}
	c.runStep(func() { c.proxy.Recent.Add(x, latency) })
	c.runStep(func() { c.proxy.Shadow.Add(x) })
	if !c.state.admitted { // exchanges are not recorded, or this one was refused for want of room
		c.proxy.Telemetry.RecordExchange(x, latency)
		return
	}
	defer c.proxy.Audit.Release(&c.records.room)
	if err := c.recordEnd(ctx, ended, latency); err != nil {
		c.proxy.Telemetry.ReportLoss("audit", x.ID, err)
	}
	c.proxy.Telemetry.RecordExchange(x, latency)
}

// settling is the context for work after an exchange has ended: a hang-up does not end it. It has no deadline, because
// a timer per exchange would cost more than the records: a full queue fails at once, and a Finisher has its own limits.
type settling struct{ context.Context }

// Deadline reports that the context has no deadline.
func (settling) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done returns nil: the context never ends.
func (settling) Done() <-chan struct{} { return nil }

// Err is always nil.
func (settling) Err() error { return nil }

// release returns the call to the pool.
func (c *call) release() {
	p := c.proxy
	c.answer.releaseMemory()
	c.snap.Release()
	if c.state.crashed { // a panic may have left it half done
		return
	}
	c.x.Reset()
	c.attempts.reset()
	c.answer.reset()
	c.bill.reset()
	c.records.usage, c.records.room = meter.Record{}, store.Room{}
	c.w, c.r, c.d, c.snap, c.chain, c.state = nil, nil, nil, nil, nil, state{}
	c.effort, c.stripped, c.prompt = "", "", 0
	c.kept, c.trace, c.grant, c.hangup, c.peer, c.line = nil, nil, nil, nil, nil, nil
	clear(c.values)
	c.values = c.values[:0]
	c.body, c.out = scratch.Reset(c.body), scratch.Reset(c.out)
	p.calls.Put(c)
}
