package proxy

import (
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// append records events of the exchange in one transaction.
func (c *call) append(ctx context.Context, events ...audit.Event) error {
	c.ownPayload(events)
	if err := c.proxy.Audit.AppendAdmitted(&c.records, nil, events...); err != nil {
		return err
	}
	c.proxy.isRecorded(events)
	return c.sync(ctx)
}

// reserveRecords reserves room for all records of the exchange. If the log has none, the exchange is refused: what is not
// recorded must not happen, and what has happened must be recorded.
func (c *call) reserveRecords(ctx context.Context) *core.Error {
	if c.snap.Unrecorded {
		return nil
	}
	room, err := c.proxy.Audit.Reserve(ctx)
	if err != nil {
		return notRecordable(err)
	}
	c.records, c.state.admitted = room, true
	return nil
}

// notRecordable is the error of an exchange that the audit log cannot take.
func notRecordable(err error) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err, RetryAfter: time.Second,
		Public: "the audit log cannot take this exchange at the moment, so it was refused; try again",
	}
}

// ownPayload sets the exchange and tenant of the events.
func (c *call) ownPayload(events []audit.Event) {
	tenant := ""
	if p := c.x.Principal; p != nil {
		tenant = p.Tenant
	}
	for i := range events {
		events[i].Tenant = tenant
	}
}

// sync waits until the records are durable, if configured.
func (c *call) sync(ctx context.Context) error {
	if !c.snap.AuditSync {
		return nil
	}
	return c.proxy.Audit.Sync(ctx)
}

func (p *Proxy) record(ctx context.Context, events ...audit.Event) error {
	err := p.Audit.AppendAll(ctx, events...)
	if err == nil {
		p.isRecorded(events)
	}
	return err
}

func (p *Proxy) isRecorded(events []audit.Event) {
	for i := range events {
		p.Telemetry.AuditRecord(events[i].Type)
	}
}

// stranger records a request without a valid key.
func (p *Proxy) stranger(ctx context.Context, x *core.Exchange, b *audit.Payload) {
	b.Reset()
	b.Str("request_id", x.ID)
	b.Str("trace_id", x.Trace)
	b.Str("shape", x.Dialect)
	b.Int("status", int64(x.Outcome.Status))
	if err := p.record(ctx, audit.Event{Type: audit.AuthFailure, Payload: b.Bytes()}); err != nil {
		p.Telemetry.Lost("audit", x.ID, err)
	}
}

// conclude appends the last events together with the usage record.
func (c *call) conclude(ctx context.Context, latency time.Duration, events []audit.Event) {
	p := c.proxy
	c.usageRecord(latency)
	c.ownPayload(events)
	if err := p.Audit.AppendAdmitted(&c.records, &c.usage, events...); err != nil { // the gateway is shutting down
		p.Telemetry.Lost("audit", c.x.ID, err)
		p.Telemetry.Lost("usage", c.x.ID, err)
		return
	}
	p.isRecorded(events)
	p.Telemetry.UsageRecord()
	if err := c.sync(ctx); err != nil {
		p.Telemetry.Lost("audit", c.x.ID, err)
	}
}

// usageRecord fills the usage record of the exchange.
func (c *call) usageRecord(latency time.Duration) {
	x, u := &c.x, &c.usage
	u.ExchangeID, u.Tenant, u.KeyID = x.ID, x.Principal.Tenant, x.Principal.KeyID
	u.EndUser, u.Dialect, u.ModelRequested = clipName(x.Head.User), x.Dialect, clipName(x.Head.Model)
	u.Provider, u.Model = x.Target.Provider, x.Target.Model
	u.Outcome, u.Status = x.Outcome.Kind.String(), x.Outcome.Status
	u.Input, u.Output, u.Cached, u.Reasoning = x.Usage.Input, x.Usage.Output, x.Usage.Cached, x.Usage.Reasoning
	u.Counted, u.Estimated, u.Streamed, u.Latency, u.At = x.Usage.Reported, x.Usage.Estimated, x.Head.Stream, latency, x.Received
	u.Cost, u.InputCost, u.PriceID, u.Priced = x.Cost, x.InputCost, x.PriceID, x.Priced
	if !x.FirstByte.IsZero() {
		u.FirstByte = x.FirstByte.Sub(x.Received)
	}
}

// maxName limits the names of users and models in records, in bytes: a client may send megabytes as a name, and records
// wait in memory while the database is away.
const maxName = 1 << 10

func clipName(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "")
}
