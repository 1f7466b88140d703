package wasm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
)

func TestAPluginThatCountsTooMuchIsToldAndTakesNoRoomFromOthers(t *testing.T) {
	s := state.NewMemory(state.Options{SpaceCounters: 64, Counters: 64})
	var lines []string
	greedy := script{steps: "1 t 3 money 30 100 0;1 o;", options: Options{State: s, Link: "greedy"}}
	greedy.log = logTo(&lines)
	st := greedy.stage(t)
	out := ""
	for n := range 1000 { // each tenant has a separate counter
		if out, _ = checkTenant(t, st, fmt.Sprint("tenant-", n)); strings.HasPrefix(out, "-") {
			break
		}
		assert.Equal(t, "1/70/0", out)
	}
	assert.True(t, strings.HasPrefix(out, "-2/"), out)
	assert.Contains(t, lines, tooManyCounters)
	out, _ = checkTenant(t, st, "tenant-0")
	assert.Equal(t, "1/40/0", out, "existing counters continue")
	assert.Empty(t, st.Version().Stats().Faults)

	other := script{steps: "1 t 3 money 30 100 0;1 o;", options: Options{State: s, Link: "modest"}}.stage(t)
	out, _ = checkTenant(t, other, "tenant-0")
	assert.Equal(t, "1/70/0", out, "another plugin has separate room")
	shadow := script{steps: "1 t 3 money 30 100 0;1 o;", options: Options{State: s, Link: "greedy", Shadow: true}}.stage(t)
	out, _ = checkTenant(t, shadow, "tenant-0")
	assert.Equal(t, "1/70/0", out, "and so has the same link in shadow")
	ok, err := s.Take(t.Context(), []core.Limit{{Kind: core.Concurrent, Key: "own", Cost: 1, Max: 1}})
	require.NoError(t, err, "the gateway's own limits have separate room")
	assert.True(t, ok)
}
