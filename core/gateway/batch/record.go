package batch

import (
	"context"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// record is the audit data of an upload, a submission or a cancellation.
type record struct {
	requested bool // GATEWAY_REQUEST is written
	file      string
	batch     string
	endpoint  string
	lines     int
	models    []string
	found     []tally
	withheld  int // results that a guard refused
}

// tally counts the findings of one label by one link.
type tally struct {
	link, label string
	n           int64
}

func (r *record) count(found []core.Finding) {
next:
	for i := range found {
		for k := range r.found {
			if t := &r.found[k]; t.link == found[i].Link && t.label == found[i].Label {
				t.n++
				continue next
			}
		}
		r.found = append(r.found, tally{found[i].Link, found[i].Label, 1})
	}
}

// auditRequest appends GATEWAY_REQUEST. If the log cannot take it, the call is refused: what is not recorded must not
// happen.
func (c *call) auditRequest(ctx context.Context) *core.Error {
	if c.record.requested {
		return nil
	}
	p, r := &audit.Payload{}, &c.record
	p.AddStr("request_id", c.x.ID)
	if c.x.Trace != c.x.ID {
		p.AddStr("trace_id", c.x.Trace)
	}
	p.AddStr("shape", c.x.Dialect)
	p.AddStr("operation", c.r.Method+" "+c.r.URL.Path)
	p.AddStr("api_key", c.x.Principal.KeyPrefix)
	p.AddStr("api_key_id", c.x.Principal.KeyID)
	p.AddOptionalStr("file_id", r.file)
	p.AddOptionalStr("batch_id", r.batch)
	p.AddOptionalStr("endpoint", r.endpoint)
	if len(r.models) > 0 {
		p.AddStrs("models", r.models)
	}
	if r.lines > 0 {
		p.AddInt("lines", int64(r.lines))
	}
	if len(r.found) > 0 {
		list := []byte{'['}
		for i, t := range r.found {
			if i > 0 {
				list = append(list, ',')
			}
			var one audit.Payload
			one.AddStr("link", t.link)
			one.AddStr("label", t.label)
			one.AddInt("count", t.n)
			list = append(list, one.Bytes()...)
		}
		p.AddRaw("findings", append(list, ']'))
	}
	if err := c.appendRecord(ctx, audit.GatewayRequest, p); err != nil {
		return &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err, RetryAfter: time.Second,
			Public: "the audit log cannot take this call at the moment, so it was refused; try again",
		}
	}
	r.requested = true
	return nil
}

func (c *call) appendRecord(ctx context.Context, typ string, p *audit.Payload) error {
	e := audit.Event{Type: typ, Payload: p.Bytes()}
	if c.x.Principal != nil {
		e.Tenant = c.x.Principal.Tenant
	}
	return c.Audit(ctx, e)
}

// writeRecords writes the remaining records of the call.
func (c *call) writeRecords(ctx context.Context) {
	lost := func(err error) {
		if err != nil {
			c.Lost("audit", c.x.ID, err)
		}
	}
	o, p := &c.x.Outcome, &audit.Payload{}
	if c.x.Principal == nil {
		if o.Status == http.StatusTooManyRequests { // the caller's address guesses keys, and is counted
			return
		}
		p.AddStr("request_id", c.x.ID)
		p.AddStr("trace_id", c.x.Trace)
		p.AddStr("shape", c.x.Dialect)
		p.AddInt("status", int64(o.Status))
		lost(c.appendRecord(ctx, audit.AuthFailure, p))
		return
	}
	if !c.op.audited {
		return
	}
	if e := c.auditRequest(ctx); e != nil {
		lost(e.Err)
	}
	p.AddStr("request_id", c.x.ID)
	p.AddOptionalStr("file_id", c.record.file)
	p.AddOptionalStr("batch_id", c.record.batch)
	p.AddOptionalStr("provider", c.x.Target.Provider)
	p.AddInt("status", int64(o.Status))
	p.AddStr("outcome", o.Kind.String())
	p.AddOptionalStr("by", o.By)
	if o.Err != nil {
		p.AddStr("code", o.Err.Code)
	}
	p.AddBool("complete", o.Complete)
	if c.record.withheld > 0 {
		p.AddInt("results_withheld", int64(c.record.withheld))
	}
	p.AddInt("latency_ms", c.Clock().Sub(c.x.Received).Milliseconds())
	p.AddStr("api_key", c.x.Principal.KeyPrefix)
	lost(c.appendRecord(ctx, audit.GatewayResponse, p))
}
