package ratelimittest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
)

func testSpellings(t *testing.T, build Builder) {
	for _, config := range []string{"limits: [{per: [model], requests: 1}]", "limits: [{models: [gpt-a], requests: 1}]"} {
		b := newBench(t, build, state.NewMemory(state.Options{}), config)
		assert.True(t, b.passes(alice), config)
		assert.False(t, b.passes(who{"acme", "alice", "openai/gpt-a"}), config)
	}
}

func testAzureNames(t *testing.T, build Builder) {
	for pattern, model := range map[string]string{"azure-openai/*": "azure/gpt-a", "azure/*": "azure-openai/gpt-a"} {
		b := newBench(t, build, state.NewMemory(state.Options{}), "limits: [{models: ["+pattern+"], requests: 1}]")
		assert.True(t, b.passes(who{"acme", "alice", model}), pattern)
		assert.False(t, b.passes(who{"acme", "alice", model}), pattern)
		assert.True(t, b.passes(who{"acme", "alice", "gpt-a"}), pattern)
	}
}

func testDuplicates(t *testing.T, build Builder) {
	_, err := build(t, "limits: [{name: a, requests: 1}, {name: a, requests: 5}]", Deps{State: state.NewMemory(state.Options{})})
	require.ErrorContains(t, err, `limits[1]: duplicate name "a"`)
}

func testRotatedKeys(t *testing.T, build Builder) {
	for _, id := range []string{"k1", "k2", "ci"} {
		b := newBench(t, build, state.NewMemory(state.Options{}), "limits: [{keys: ["+id+"], requests: 1}]")
		for _, want := range []core.Action{core.Pass, core.Block} {
			x := b.newRequest(alice, "")
			x.Principal = &core.Principal{Tenant: "acme", KeyID: "k2", Lineage: "k1", KeyName: "ci"}
			assert.Equal(t, want, b.chain.RunRequest(context.Background(), x).Action, id)
		}
	}
}
