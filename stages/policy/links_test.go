package policy

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestALinkForAnswersAloneGuardsStreamsToo(t *testing.T) {
	src := &source{records: []policydoc.Record{active(rule(`{id: no, conditions: {response.tokens_gt: 1}, action: DENY}`))}}
	st, err := New(nil, Deps{Policies: src})
	require.NoError(t, err)
	chain, err := chain.New(
		[]chain.Link{{Name: "p", Stage: st, Phases: core.PhaseSet(core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks}},
		nil,
	)
	require.NoError(t, err)
	defer func() { require.NoError(t, chain.Close(context.Background())) }()
	b := newBench(t, alone)
	own := b.chain
	b.chain = chain
	x, _ := b.request(hello)
	_, e := b.stream(x, "a long enough answer")
	require.NotNil(t, e)
	b.chain = own
}
