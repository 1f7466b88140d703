package guardrail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/guardrail/guardrailtest"
)

// Texts and bodies of requests.
var (
	prose    = guardrailtest.Prose
	quote    = guardrailtest.Quote
	message  = guardrailtest.FormatMessage
	body     = guardrailtest.FormatBody
	toolTurn = guardrailtest.FormatToolTurn
)

const attackText = guardrailtest.Attack

// buildLink returns the stage as a link.
func buildLink(_ testing.TB, config string) (chain.Link, error) {
	st, err := New(block(config))
	return chain.Link{Name: "guard", Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}, err
}

func newBench(t testing.TB, config string) *guardrailtest.Bench {
	t.Helper()
	return guardrailtest.NewBench(t, buildLink, config)
}

// exchangeOf is a chat request with one user message.
func exchangeOf(t testing.TB, text string) *core.Exchange {
	t.Helper()
	return guardrailtest.NewExchange(t, body(message("user", text)))
}

func TestTheStagePassesTheCasesOfGuardrails(t *testing.T) {
	for i := range guardrailtest.Cases {
		c := &guardrailtest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, buildLink) })
	}
}

func TestOnlyRequestsHaveResultsThatCanBeReplaced(t *testing.T) {
	_, err := New(block("detectors: [{type: keywords, words: [a], action: replace}]"))
	require.ErrorContains(t, err, "phases: [request]")
}
