package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/policytest"
)

func TestTheStagePassesTheCasesOfPolicies(t *testing.T) {
	for i := range policytest.Cases {
		c := &policytest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, &builtIn) })
	}
}

// The planned target tells what a call will cost before it is chosen, so that a request is refused early.
func TestACostIsKnownBeforeTheTargetIs(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, conditions: {cost.estimated_usd_gt: 1}, action: DENY}`)))
	_, d := b.Send(strings.Replace(hello, "{", `{"max_tokens":20000,`, 1))
	assert.Equal(t, core.Block, d.Action)
	_, d = b.Send(strings.Replace(hello, "gpt-5", "no-route", 1))
	assert.Equal(t, core.Pass, d.Action, "a cost that nobody knows fires no rule")
}

func TestABudgetThatCannotBeReadIsNoFaultOfShadows(t *testing.T) {
	p := active(rule(`{id: no, conditions: {budget.exceeded: true}, action: DENY}`))
	p.Status = policydoc.Shadow
	d := policytest.Deps{Policies: []policydoc.Record{p}, Budgets: policytest.Budgets{Err: errors.New("the server is not available")}}
	_, got := newBenchWith(t, d).Send(hello)
	assert.Equal(t, core.Pass, got.Action)
	assert.False(t, got.Fault)
}
