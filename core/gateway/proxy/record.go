package proxy

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// append records events of the exchange in one transaction.
func (c *call) append(ctx context.Context, events ...audit.Event) error {
	c.ownPayload(events)
	err := c.proxy.record(ctx, events...)
	if err == nil {
		err = c.sync(ctx)
	}
	return err
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

// conclude appends the last events together with the usage record. If the queue has no room for all of them, it appends
// the usage record alone.
func (c *call) conclude(ctx context.Context, latency time.Duration, events []audit.Event) {
	p := c.proxy
	c.usageRecord(latency)
	c.ownPayload(events)
	if err := p.Audit.AppendWith(ctx, &c.usage, events...); err != nil {
		p.Telemetry.Lost("audit", c.x.ID, err)
		if err := p.Meter.Append(ctx, &c.usage); err != nil {
			p.Telemetry.Lost("usage", c.x.ID, err)
			return
		}
		p.Telemetry.UsageRecord()
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
	u.EndUser, u.Dialect, u.ModelRequested = x.Head.User, x.Dialect, x.Head.Model
	u.Provider, u.Model = x.Target.Provider, x.Target.Model
	u.Outcome, u.Status = x.Outcome.Kind.String(), x.Outcome.Status
	u.Input, u.Output, u.Cached, u.Reasoning = x.Usage.Input, x.Usage.Output, x.Usage.Cached, x.Usage.Reasoning
	u.Counted, u.Estimated, u.Streamed, u.Latency, u.At = x.Usage.Reported, x.Usage.Estimated, x.Head.Stream, latency, x.Received
	u.Cost, u.InputCost, u.PriceID, u.Priced = x.Cost, x.InputCost, x.PriceID, x.Priced
	if !x.FirstByte.IsZero() {
		u.FirstByte = x.FirstByte.Sub(x.Received)
	}
}
