package equal

import (
	"strconv"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages/budget/budgettest"
	"github.com/headgate-dev/headgate/wasm"
)

// newBudgetSubject returns the sample budget under the cases of budgets.
func newBudgetSubject(r *runtime) *budgettest.Subject {
	return &budgettest.Subject{
		Build: func(t testing.TB, config string, d budgettest.Deps) (chain.Link, error) {
			o := wasm.Options{Grant: foreign.Grant{Scopes: []string{"platform"}}, Services: foreign.Services{
				Prices: d.Prices, DefaultCap: d.DefaultCap, Notify: d.Notify,
			}}
			if d.State != nil {
				o.State = d.State
			}
			if d.Windows != nil {
				o.Services.Windows = d.Windows
			}
			if d.Spending != nil {
				o.Services.Budgets = d.Spending
			}
			return r.on(t, "budget", config, o)
		},
		Counters: func(s core.State, b *spending.Budget, at time.Time) (core.Counters, []core.Limit) {
			l, space, prefix := b.NewLimits(at), "wasm:budget", "plugin:{**}:budget:s:"
			if r.name == inProcess {
				space, prefix = "process:budget", "{plugin:budget:**}c/s:"
			}
			all := l.ListCounters()
			for i := range all {
				unit := ":tokens"
				if i == 0 && b.Limit >= 0 {
					unit = ":usd"
				}
				all[i].Key = prefix + b.ID + ":" + strconv.FormatInt(l.Start.UnixMilli(), 10) + unit
			}
			return core.OpenSpace(s, space), all
		},
		Reason: func(chain.Decision) string { return *lastLine.Load() },
		Soft:   spending.NoticePluginLimit, Exceeded: spending.NoticePluginLimit, Share: "percent",
	}
}

func budget() stand {
	s := stand{stage: "budget", sample: "budget", language: "Go", missing: map[string]string{
		"the header of a finished answer does not count its own hold": "headers of an answer are set before its cost is known to plugins",
		"how budgets stand is told without a call":                    "the price of the first target is not known in the phase request, so the share is told and the tokens are not",
	}}
	for i := range budgettest.Cases {
		s.cases = append(s.cases, budgettest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) { budgettest.Cases[i].Run(t, newBudgetSubject(r)) }
	return s
}
