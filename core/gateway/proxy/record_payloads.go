package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/audit"
)

func (r *records) fillResponse(latency time.Duration) {
	x, p := &r.call.x, &r.payload
	p.Reset()
	p.AddStr("request_id", x.ID)
	p.AddOptionalStr("model", r.findSentModel())
	p.AddOptionalStr("provider", x.Target.Provider)
	p.AddInt("status", int64(x.Outcome.Status))
	p.AddStr("outcome", x.Outcome.Kind.String())
	p.AddOptionalStr("by", x.Outcome.By)
	if e := x.Outcome.Err; e != nil {
		p.AddStr("code", e.Code)
	}
	p.AddBool("complete", x.Outcome.Complete)
	p.AddInt("latency_ms", latency.Milliseconds())
	if pr := x.Principal; pr != nil {
		p.AddStr("api_key", pr.KeyPrefix)
	}
	if u := &x.Usage; u.Known() {
		p.AddInt("tokens_prompt", u.Input)
		p.AddInt("tokens_completion", u.Output)
		p.AddInt("tokens_total", u.Total())
		if u.Estimated {
			p.AddBool("tokens_estimated", true)
		}
		u.Units.VisitCounts(p.AddInt)
	}
	r.addFindings(p, core.Response)
	r.addFaults(p)
}

// findSentModel returns the model name that was sent to the provider, or the client's.
func (r *records) findSentModel() string {
	if m := r.call.x.Target.Model; m != "" {
		return clipName(m)
	}
	return r.call.findRecordedModel()
}

// fillUsage fills the usage record of the exchange.
func (r *records) fillUsage(latency time.Duration) {
	x, u := &r.call.x, &r.usage
	u.ExchangeID, u.Tenant, u.KeyID = x.ID, x.Principal.Tenant, x.Principal.KeyID
	u.EndUser, u.Dialect, u.ModelRequested = clipName(x.Head.User), x.Dialect, r.call.findRecordedModel()
	u.Provider, u.Model = x.Target.Provider, x.Target.Model
	u.Outcome, u.Status = x.Outcome.Kind.String(), x.Outcome.Status
	u.Input, u.Output, u.Cached, u.Reasoning = x.Usage.Input, x.Usage.Output, x.Usage.Cached, x.Usage.Reasoning
	u.Counted, u.Estimated, u.Streamed, u.Latency, u.At = x.Usage.Reported, x.Usage.Estimated, x.Head.Stream, latency, x.Received
	u.Cost, u.InputCost, u.PriceID, u.Priced = x.Cost, x.InputCost, x.PriceID, x.Priced
	if x.Outcome.Kind == core.Blocked {
		u.BlockedBy = x.Outcome.By
	}
	if !x.FirstByte.IsZero() {
		u.FirstByte = x.FirstByte.Sub(x.Received)
	}
}

// maxName limits the names of users and models in records, in bytes: a client may send a name of megabytes, and records
// wait in memory while the database is unavailable.
const maxName = 1 << 10

func clipName(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "")
}

// findRecordedModel returns the requested model for records and logs. A name that nothing serves is whatever the client has
// sent, such as a key in the wrong member: a digest tells equal ones apart without repeating them.
func (c *call) findRecordedModel() string {
	name := c.x.Head.Model
	if c.peer != nil {
		return c.peer.findRecordedName()
	}
	if name == "" || c.state.routed {
		return clipName(name)
	}
	q := route.Query{Model: c.x.Model(), Chosen: c.x.IsModelChosen(), Still: true}
	if _, known := c.snap.Router.PlanFor(nil, q); known {
		return clipName(name)
	}
	sum := sha256.Sum256([]byte(name))
	return "unknown:" + hex.EncodeToString(sum[:6])
}

// redactions is the number of redacted values of one type.
type redactions struct {
	kind string
	n    int64
}

// fillRedacted fills c.removed with the types and numbers of redacted values. It returns false if nothing was redacted.
func (r *records) fillRedacted() bool {
	x := &r.call.x
	var few [8]redactions
	sums := few[:0]
	add := func(kind string) {
		for i := range sums {
			if sums[i].kind == kind {
				sums[i].n++
				return
			}
		}
		sums = append(sums, redactions{kind, 1})
	}
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Redacted && !f.Shadow {
			add(f.Label)
		}
	}
	told := len(sums) // stages that report nothing, such as policies and modules, have left placeholders
	for _, m := range x.Minted.All() {
		if !slices.ContainsFunc(sums[:told], func(r redactions) bool { return r.kind == m.Type }) {
			add(m.Type)
		}
	}
	if len(sums) == 0 {
		return false
	}
	slices.SortFunc(sums, func(a, b redactions) int { return strings.Compare(a.kind, b.kind) })
	total := int64(0)
	r.inner.Reset()
	for _, s := range sums {
		r.inner.AddInt(s.kind, s.n) // a type consists of letters, digits and underscores
		total += s.n
	}
	p := &r.removed
	p.Reset()
	p.AddStr("request_id", x.ID)
	if x.Principal != nil {
		p.AddStr("api_key_id", x.Principal.KeyID)
	}
	p.AddRaw("types", r.inner.Bytes())
	p.AddInt("total", total)
	return true
}

// addFindings adds the number of findings by label and link.
func (r *records) addFindings(p *audit.Payload, phase core.Phase) {
	type tally struct {
		link, label string
		shadow      bool
		n           int64
	}
	var few [8]tally
	sums := few[:0]
next:
	for i := range r.call.x.Findings {
		f := &r.call.x.Findings[i]
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
	inner, list := &r.inner, append(r.list[:0], '[')
	for i, s := range sums {
		if i > 0 {
			list = append(list, ',')
		}
		inner.Reset()
		inner.AddStr("link", s.link)
		inner.AddStr("label", s.label)
		inner.AddInt("count", s.n)
		if s.shadow {
			inner.AddBool("shadow", true)
		}
		list = append(list, inner.Bytes()...)
	}
	r.list = append(list, ']')
	p.AddRaw("findings", r.list)
}

// addFaults adds the links that failed, with phase and fault, including those that the exchange passed over.
func (r *records) addFaults(p *audit.Payload) {
	inner, list := &r.inner, append(r.list[:0], '[')
	for i := range r.call.x.Visits {
		v := &r.call.x.Visits[i]
		if v.Fault == 0 {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		inner.Reset()
		inner.AddStr("link", v.Link)
		inner.AddStr("phase", v.Phase.String())
		inner.AddStr("fault", v.Fault.String())
		if v.Shadow {
			inner.AddBool("shadow", true)
		}
		list = append(list, inner.Bytes()...)
	}
	r.list = append(list, ']')
	if len(list) > 1 {
		p.AddRaw("faults", r.list)
	}
}
