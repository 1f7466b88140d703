package budget

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// Names of header lines, as net/http writes them.
const (
	headerTokens      = "X-Budget-Remaining-Tokens"
	headerPct         = "X-Budget-Remaining-Pct"
	headerWindow      = "X-Context-Window-Warning"
	headerUtilization = "X-Context-Window-Utilization"
)

// appendHeaders appends the state of the tightest budget: the share that is left, and how many tokens of this target it still
// pays for. For money, the higher of the two prices applies.
func (q *question) appendHeaders(dst []core.Field) []core.Field {
	pct, left := 100.0, int64(math.MaxInt64)
	for i := range q.limits {
		l := &q.limits[i]
		pct = min(pct, l.PctLeft())
		n := l.Left
		if q.whose[i].money {
			dear := max(q.in, q.out)
			if dear == 0 {
				continue
			}
			n /= dear
		}
		left = min(left, n)
	}
	if left != math.MaxInt64 {
		dst = append(dst, core.Field{Name: headerTokens, Value: strconv.FormatInt(max(left, 0), 10)})
	}
	return append(dst, core.Field{Name: headerPct, Value: formatPercent(pct)})
}

// appendStanding appends the state of the budgets before a call, also for answers that need no call and for refusals by other
// links. It uses what this gateway last saw, or else asks the state. Tokens are those of the target that would be tried
// first.
func (s *Stage) appendStanding(ctx context.Context, x *core.Exchange, q *question, dst []core.Field) []core.Field {
	s.findCounters(x, q)
	if len(q.limits) == 0 {
		return dst
	}
	for i := range q.limits {
		if q.limits[i].Left = q.whose[i].findLastSeen().Load(); q.limits[i].Left != unknown {
			continue
		}
		if _, err := s.state.Take(ctx, q.limits); err != nil {
			return dst // a failure refuses the call itself, but not these lines
		}
		for k := range q.limits {
			q.whose[k].findLastSeen().Store(q.limits[k].Left)
		}
		break
	}
	if s.routes != nil && s.prices != nil {
		if plan := s.routes.Plan(x.Model()); len(plan) > 0 {
			q.in, q.out, _ = s.prices.FindPerToken(plan[0].Provider, plan[0].Model)
		}
	}
	return q.appendHeaders(dst)
}

// shares are the texts of all shares from 0 to 100 percent, in tenths: every answer under a budget tells one or two.
var shares = sync.OnceValue(func() *[1001]string {
	var t [1001]string
	for i := range t {
		t[i] = strconv.FormatFloat(float64(i)/10, 'f', -1, 64)
	}
	return &t
})

// formatPercent formats a share with at most one decimal place, rounded down.
func formatPercent(p float64) string {
	if p >= 0 && p <= 100 {
		return shares()[int(p*10)]
	}
	return strconv.FormatFloat(math.Floor(p*10)/10, 'f', -1, 64)
}

// newRefusal returns the error of a call that the budget has no room for.
func (a *account) newRefusal(q *question) *core.Error {
	var b strings.Builder
	b.WriteString("the ")
	b.WriteString(strings.ToLower(a.Period.String()))
	b.WriteString(" budget ")
	b.WriteString(strconv.Quote(a.Name))
	b.WriteString(" has no room for this request")
	if q.output > 0 && q.limits[0].Left > 0 {
		b.WriteString("; a shorter prompt or a lower limit for the answer may fit")
	}
	b.WriteString("; it resets on ")
	b.WriteString(a.period.Load().End.Format("2006-01-02 15:04 MST"))
	return &core.Error{Kind: core.RateLimited, Code: core.CodeQuota, NoRetry: true, Public: b.String(), Err: spending.Refusal{Budget: a.ID}}
}

// notifyExceeded sends a notice about an exchange that was refused.
func (s *Stage) notifyExceeded(ctx context.Context, x *core.Exchange, w *work) {
	e := x.Outcome.Err
	if w.refused == nil || s.notify == nil || e == nil || e.Code != core.CodeQuota {
		return
	}
	n := spending.Notice{Type: spending.NoticeBudgetExceeded, Facts: []spending.Fact{
		{Name: "request_id", Value: x.ID},
		{Name: "budget", Value: w.refused.ID},
		{Name: "period", Value: w.refused.Period.String()},
		{Name: "provider", Value: x.Target.Provider},
		{Name: "model", Value: x.Target.Model},
	}}
	if p := x.Principal; p != nil {
		n.Tenant = p.Tenant
		n.Facts = append(n.Facts, spending.Fact{Name: "api_key_id", Value: p.KeyID})
	}
	s.notify(ctx, n)
}

// notifySoftLimit sends a notice for counters that have just reached their soft limit. Settled amounts only grow, and each
// settlement knows what it added, so exactly one gateway sends the notice, once per period.
func (s *Stage) notifySoftLimit(ctx context.Context, limits []core.Limit, whose []counter) {
	for i := range limits {
		l, a := &limits[i], whose[i].account
		if a.Soft <= 0 || s.notify == nil || l.Max == 0 {
			continue
		}
		at := l.Max/100*a.Soft + l.Max%100*a.Soft/100 // the product could overflow
		if l.Spent < at || l.Spent-l.Actual >= at {
			continue
		}
		unit := "tokens"
		if whose[i].money {
			unit = "usd"
		}
		s.notify(ctx, spending.Notice{Type: spending.NoticeSoftLimit, Tenant: a.Tenant, Facts: []spending.Fact{
			{Name: "budget", Value: a.ID},
			{Name: "period", Value: a.Period.String()},
			{Name: "counts", Value: unit},
			{Name: "soft_limit_pct", Value: strconv.FormatInt(a.Soft, 10)},
			{Name: "utilization_pct", Value: formatPercent(100 * float64(l.Spent) / float64(l.Max))},
		}})
	}
}

// appendWindow warns of a request that fills the model's context window. It counts the tokens of the prompt only if no
// cheaper bound shows that there are fewer.
func (s *Stage) appendWindow(x *core.Exchange, dst []core.Field) []core.Field {
	if s.windows == nil || s.WindowWarningPct == 0 {
		return dst
	}
	size := s.windows.FindContextWindow(x.Target.Provider, x.Target.Model)
	if most := size * s.WindowWarningPct / 100; size <= 0 || bound.BoundInput(x) <= most || s.promptFits(x, most) {
		return dst
	}
	used := 100 * float64(s.countPromptTokens(x)) / float64(size)
	if used <= float64(s.WindowWarningPct) {
		return dst
	}
	return append(dst, core.Field{Name: headerWindow, Value: "true"}, core.Field{Name: headerUtilization, Value: formatPercent(used)})
}
