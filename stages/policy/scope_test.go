package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestPoliciesThatDoNotCompileAreRefusedAndTheOldOnesStay(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, action: DENY}`)))
	require.ErrorContains(t, b.source.use([]policydoc.Record{active("rules: [{id: x, action: NOPE}]")}), "NOPE")
	_, d := b.Send(hello)
	assert.Equal(t, core.Block, d.Action)
	require.NoError(t, b.source.use(nil))
	_, d = b.Send(hello)
	assert.Equal(t, core.Pass, d.Action)
}

// A large request's body is reused by another exchange while the provider answers: no fact that policies need later may
// share its memory.
func TestFactsDoNotLieInABodyThatIsGivenAway(t *testing.T) {
	shadow := active(rule(`{id: s, conditions: {model.in: [gpt-5]}, action: DENY}`))
	shadow.ID, shadow.Name, shadow.Status = "shadow", "shadow", policydoc.Shadow
	b := newBench(t, []string{"pii", Name}, active(`version: 1
name: p
rules:
  - {id: redact, conditions: {pii.types_any: [EMAIL]}, action: REDACT}
  - {id: no, conditions: {model.allowlist: [gpt-5], provider.in: [openai]}, action: DENY}
`), shadow)
	x := b.Open(says("ann@example.com " + strings.Repeat("word ", 5000)))
	raw := x.Request.Raw
	require.Equal(t, core.Pass, b.Chain.RunRequest(context.Background(), x).Action)
	require.True(t, x.Compact())
	for i := range raw {
		raw[i] = '#' // what another tenant writes, say
	}
	assert.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5", "").Action)
	b.Finish(x)
	b.stage.queue.close()
	events := b.source.events
	require.NotEmpty(t, events)
	assert.Equal(t, "gpt-5", events[0].Model)
}
