package console

import (
	"cmp"
	"html/template"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/manage/console/chart"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// sessionView is a session of an agent: the requests that share a trace, with models, tools and other agents.
type sessionView struct {
	Trace    string
	Requests []sessionStep
	Names    *names
	Costs    bool
	Models   int // requests to models
	Tools    int // calls of tools, and other messages to servers of tools
	Agents   int
	from, to time.Time
}

// sessionStep is one request of a session.
type sessionStep struct {
	recent.Exchange
	Kind string // model, tools or agent
	of   *sessionView
}

// buildSessionPath returns the address of the page of a session. A client may choose its trace, so that two tenants may have the same.
func buildSessionPath(tenant, trace string) string {
	return "/session?" + url.Values{"tenant": {tenant}, "trace": {trace}}.Encode()
}

// newSessionView returns the session of these requests, which are in order of their start.
func newSessionView(trace string, all []recent.Exchange) *sessionView {
	v := &sessionView{Trace: trace}
	for _, e := range all {
		s := sessionStep{Exchange: e, Kind: "model", of: v}
		switch e.Dialect {
		case mcp.DialectName:
			s.Kind = "tools"
			v.Tools++
		case a2a.DialectName:
			s.Kind = "agent"
			v.Agents++
		default:
			v.Models++
		}
		if end := e.At.Add(e.Latency); end.After(v.to) {
			v.to = end
		}
		v.Requests = append(v.Requests, s)
	}
	if len(all) > 0 {
		v.from = all[0].At
	}
	return v
}

// Duration returns how long the session has taken so far, as text.
func (v *sessionView) Duration() string { return formatShortDuration(v.to.Sub(v.from)) }

// Cost returns what the requests have cost.
func (v *sessionView) Cost() money.Amount {
	sum := int64(0)
	for i := range v.Requests {
		sum += v.Requests[i].Exchange.Cost
	}
	return money.Amount(sum)
}

// Path returns the address of the request's own page.
func (s sessionStep) Path() string { return buildRequestPath(s.ID, s.At) }

// Spent returns the cost of the request.
func (s sessionStep) Spent() money.Amount { return money.Amount(s.Exchange.Cost) }

// Began returns when the request has come, from the start of the session, and Took how long it took, as text.
func (s sessionStep) Began() string { return formatShortDuration(s.At.Sub(s.of.from)) }

// Took returns the latency of the request as text.
func (s sessionStep) Took() string { return formatShortDuration(s.Latency) }

// Bar draws the request on the timeline of the session.
func (s sessionStep) Bar() template.HTML {
	whole := s.of.to.Sub(s.of.from)
	if whole <= 0 {
		return ""
	}
	began, kind := s.At.Sub(s.of.from), map[string]int{"model": 0, "tools": 1, "agent": 2}[s.Kind]
	return chart.DrawSlot(s.Model+": "+s.Took(), float64(began)/float64(whole), float64(began+s.Latency)/float64(whole), kind)
}

// showSession answers with the requests of a trace as one waterfall.
func (h *requestHandlers) showSession(r *request) error {
	if !admin.SeesTraffic(r.who) {
		return admin.NewMissingRoleError(auth.CostsRead)
	}
	trace := r.Query("trace")
	var all []recent.Exchange
	if tenant := cmp.Or(r.who.Tenant, r.Query("tenant")); tenant != "" {
		all = h.recent.FindSession(tenant, trace)
	}
	if len(all) == 0 {
		return &core.Error{
			Kind: core.NotFound, Code: core.CodeNotFound,
			Public: "This node does not remember a session of this trace. Find its requests in the audit log by the trace.",
		}
	}
	v := newSessionView(trace, all)
	v.Names, v.Costs = r.openWorkspaceNames(), r.who.Can(auth.CostsRead)
	return r.show("session", "Session", v)
}
