package pii

import (
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/internal/settingstest"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// builtIn is the stage under the cases of stages that redact.
var builtIn = piitest.Subject{
	Build: func(_ testing.TB, config string, tokens core.Tokens) (chain.Link, error) {
		st, err := New(block(config), tokens)
		return chain.Link{Name: "pii", Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}, err
	},
	Asked: maxUnknown,
}

func TestTheStagePassesTheCasesOfRedaction(t *testing.T) {
	for i := range piitest.Cases {
		c := &piitest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, &builtIn) })
	}
}

func newBench(t testing.TB, config string) *piitest.Bench {
	return piitest.NewBench(t, &builtIn, config)
}
