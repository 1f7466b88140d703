package proxy

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// records writes what is kept of an exchange: the events of the audit log and the usage record.
type records struct {
	call    *call
	room    store.Room // reserved for the records of the exchange
	payload audit.Payload
	removed audit.Payload // of PII_REDACTED, which is queued together with the next record
	inner   audit.Payload // an object inside payload
	list    []byte        // a list inside payload
	usage   meter.Record
}

// reserve reserves room for all records of the exchange. If the log has none, the exchange is refused: what is not
// recorded must not happen, and what has happened must be recorded.
func (r *records) reserve(ctx context.Context) *core.Error {
	if r.call.snap.Unrecorded {
		return nil
	}
	room, err := r.call.proxy.Audit.Reserve(ctx)
	if err != nil {
		return newNotRecordableError(err)
	}
	r.room, r.call.state.admitted = room, true
	return nil
}

// newNotRecordableError returns the error of an exchange that the audit log cannot take.
func newNotRecordableError(err error) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err, RetryAfter: time.Second,
		Public: "the audit log cannot take this exchange at the moment, so it was refused; try again",
	}
}

// appendRequest appends the GATEWAY_REQUEST record, once.
func (r *records) appendRequest(ctx context.Context) *core.Error {
	if r.call.state.audited || r.call.snap.Unrecorded {
		return nil
	}
	x := &r.call.x
	p := &r.payload
	p.Reset()
	p.AddStr("request_id", x.ID)
	if x.Trace != x.ID {
		p.AddStr("trace_id", x.Trace)
	}
	p.AddStr("shape", x.Dialect)
	if pr := x.Principal; pr != nil {
		p.AddStr("api_key", pr.KeyPrefix)
		p.AddStr("api_key_id", pr.KeyID)
	}
	p.AddOptionalStr("model", r.call.findRecordedModel())
	p.AddBool("stream", x.Head.Stream)
	p.AddInt("messages", int64(x.Head.Messages))
	p.AddOptionalStr("user", clipName(x.Head.User))
	if g := r.call.grant; g != nil {
		p.AddOptionalStr("actor", g.Actor)
		p.AddOptionalStr("shadowed", strings.Join(g.Shadow, ","))
		p.AddOptionalStr("down", g.Down)
	}
	p.AddOptionalStr("stripped_tools", r.call.stripped)
	if h := x.Hosted; h != nil && x.Outcome.Err == nil { // a refused request was allowed nothing
		p.AddOptionalStr("hosted_tools", listHostedNames(h))
	}
	if peer := r.call.peer; peer != nil {
		peer.fillRequestRecord(p)
	}
	r.addFindings(p, core.Request)
	if err := r.append(ctx, audit.Event{
		Type: audit.GatewayRequest, Payload: p.Bytes(), At: r.call.readTime(), Uncounted: r.call.state.outOfScope,
	}); err != nil {
		return newNotRecordableError(err)
	}
	r.call.state.audited = true
	return nil
}

// appendPolicyDecision records which policy rules have matched, if any.
func (r *records) appendPolicyDecision(ctx context.Context) error {
	x, p, list := &r.call.x, &r.payload, append(r.list[:0], '[')
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Kind == core.FoundPolicy && !f.Shadow {
			if len(list) > 1 {
				list = append(list, ',')
			}
			r.inner.Reset()
			r.inner.AddStr("rule", f.Label)
			r.inner.AddStr("phase", f.Phase.String())
			list = append(list, r.inner.Bytes()...)
		}
	}
	r.list = append(list, ']')
	if len(list) == 1 {
		return nil
	}
	decision := "ALLOWED"
	if policydoc.IsRefusal(x.Outcome.Err) {
		decision = "DENIED"
	}
	p.Reset()
	p.AddStr("request_id", x.ID)
	p.AddStr("decision", decision)
	p.AddRaw("rules", r.list)
	return r.append(ctx, audit.Event{Type: audit.PolicyDecision, Payload: p.Bytes()})
}

// appendLast appends the last events together with the usage record.
func (r *records) appendLast(ctx context.Context, latency time.Duration, events []audit.Event) error {
	p := r.call.proxy
	r.fillUsage(latency)
	r.setTenant(events)
	if err := p.Audit.AppendAdmitted(&r.room, &r.usage, events...); err != nil { // the gateway is shutting down
		p.Telemetry.ReportLoss("usage", r.call.x.ID, err)
		return err
	}
	p.countRecorded(events)
	p.Telemetry.RecordUsage()
	return r.sync(ctx)
}

// append records events of the exchange in one transaction.
func (r *records) append(ctx context.Context, events ...audit.Event) error {
	r.setTenant(events)
	if err := r.call.proxy.Audit.AppendAdmitted(&r.room, nil, events...); err != nil {
		return err
	}
	r.call.proxy.countRecorded(events)
	return r.sync(ctx)
}

// setTenant sets the exchange and tenant of the events.
func (r *records) setTenant(events []audit.Event) {
	tenant := ""
	if p := r.call.x.Principal; p != nil {
		tenant = p.Tenant
	}
	for i := range events {
		events[i].Tenant = tenant
	}
}

// sync waits until the records are durable, if configured.
func (r *records) sync(ctx context.Context) error {
	if !r.call.snap.AuditSync {
		return nil
	}
	return r.call.proxy.Audit.Sync(ctx)
}

func (p *Proxy) recordEvents(ctx context.Context, events ...audit.Event) error {
	err := p.Audit.AppendAll(ctx, events...)
	if err == nil {
		p.countRecorded(events)
	}
	return err
}

func (p *Proxy) countRecorded(events []audit.Event) {
	for i := range events {
		p.Telemetry.RecordAudit(events[i].Type)
	}
}

// recordUnauthenticated records a request without a valid key. Those of an address that has to wait are only counted:
// someone who guesses keys must not fill the audit log.
func (p *Proxy) recordUnauthenticated(ctx context.Context, x *core.Exchange, b *audit.Payload) {
	if x.Outcome.Status == http.StatusTooManyRequests {
		return
	}
	b.Reset()
	b.AddStr("request_id", x.ID)
	b.AddStr("trace_id", x.Trace)
	b.AddStr("shape", x.Dialect)
	b.AddInt("status", int64(x.Outcome.Status))
	if err := p.recordEvents(ctx, audit.Event{Type: audit.AuthFailure, Payload: b.Bytes()}); err != nil {
		p.Telemetry.ReportLoss("audit", x.ID, err)
	}
}
