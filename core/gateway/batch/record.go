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
	p.Str("request_id", c.x.ID)
	if c.x.Trace != c.x.ID {
		p.Str("trace_id", c.x.Trace)
	}
	p.Str("shape", c.x.Dialect)
	p.Str("operation", c.r.Method+" "+c.r.URL.Path)
	p.Str("api_key", c.x.Principal.KeyPrefix)
	p.Str("api_key_id", c.x.Principal.KeyID)
	p.Opt("file_id", r.file)
	p.Opt("batch_id", r.batch)
	p.Opt("endpoint", r.endpoint)
	if len(r.models) > 0 {
		p.Strs("models", r.models)
	}
	if r.lines > 0 {
		p.Int("lines", int64(r.lines))
	}
	if len(r.found) > 0 {
		list := []byte{'['}
		for i, t := range r.found {
			if i > 0 {
				list = append(list, ',')
			}
			var one audit.Payload
			one.Str("link", t.link)
			one.Str("label", t.label)
			one.Int("count", t.n)
			list = append(list, one.Bytes()...)
		}
		p.Raw("findings", append(list, ']'))
	}
	if err := c.append(ctx, audit.GatewayRequest, p); err != nil {
		return &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err, RetryAfter: time.Second,
			Public: "the audit log cannot take this call at the moment, so it was refused; try again",
		}
	}
	r.requested = true
	return nil
}

func (c *call) append(ctx context.Context, typ string, p *audit.Payload) error {
	e := audit.Event{Type: typ, Payload: p.Bytes()}
	if c.x.Principal != nil {
		e.Tenant = c.x.Principal.Tenant
	}
	return c.Audit(ctx, e)
}

// settle writes the remaining records of the call.
func (c *call) settle(ctx context.Context) {
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
		p.Str("request_id", c.x.ID)
		p.Str("trace_id", c.x.Trace)
		p.Str("shape", c.x.Dialect)
		p.Int("status", int64(o.Status))
		lost(c.append(ctx, audit.AuthFailure, p))
		return
	}
	if !c.op.audited {
		return
	}
	if e := c.auditRequest(ctx); e != nil {
		lost(e.Err)
	}
	p.Str("request_id", c.x.ID)
	p.Opt("file_id", c.record.file)
	p.Opt("batch_id", c.record.batch)
	p.Opt("provider", c.x.Target.Provider)
	p.Int("status", int64(o.Status))
	p.Str("outcome", o.Kind.String())
	p.Opt("by", o.By)
	if o.Err != nil {
		p.Str("code", o.Err.Code)
	}
	p.Bool("complete", o.Complete)
	if c.record.withheld > 0 {
		p.Int("results_withheld", int64(c.record.withheld))
	}
	p.Int("latency_ms", c.Clock().Sub(c.x.Received).Milliseconds())
	p.Str("api_key", c.x.Principal.KeyPrefix)
	lost(c.append(ctx, audit.GatewayResponse, p))
}
