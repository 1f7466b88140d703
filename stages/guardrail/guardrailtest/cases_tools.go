package guardrailtest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// listToolCases are about tools: what they bring, what they say of themselves, and which of them a request may offer.
func listToolCases() (out []Case) {
	const tools = `"tools":[{"type":"function","function":{"name":"shell_run","parameters":{}}},{"type":"function","function":{"name":"weather","parameters":{}}}]`
	const team = "detectors: [{type: required_metadata, keys: [team]}]"
	for _, c := range []struct {
		name, config, extra string
		action              core.Action
	}{
		{"a denied tool is refused", "detectors: [{type: tool_policy, deny: ['shell_*']}]", tools, core.Block},
		{"a tool that is not on the list is refused", "detectors: [{type: tool_policy, allow: [weather]}]", tools, core.Block},
		{"allowed tools pass", "detectors: [{type: tool_policy, allow: ['*']}]", tools, core.Pass},
		{"too many tools are refused", "detectors: [{type: tool_policy, max: 1}]", tools, core.Block},
		{"as many tools as allowed pass", "detectors: [{type: tool_policy, max: 2}]", tools, core.Pass},
		{"required metadata is there", team, `"metadata":{"team":"a"}`, core.Pass},
		{"required metadata is empty", team, `"metadata":{"team":""}`, core.Block},
		{"required metadata is missing", team, `"n":1`, core.Block},
		{"a required header is missing", "detectors: [{type: required_metadata, headers: [X-Team]}]", `"n":1`, core.Block},
	} {
		out = append(out, Case{c.name, func(t *testing.T, build Builder) {
			x, d := NewBench(t, build, c.config).Send(`{"model":"m","messages":[{"role":"user","content":"hi"}],` + c.extra + `}`)
			assert.Equal(t, c.action, d.Action)
			if c.action == core.Block {
				require.NotEmpty(t, x.Findings)
				assert.Equal(t, -1, x.Findings[0].Segment)
			}
		}})
	}
	return append(out,
		Case{"a refused tool result is named", nameToolResult},
		Case{"a notice takes the place of a poisoned tool result", replaceToolResult},
		Case{"definitions of tools are judged by default", func(t *testing.T, build Builder) {
			_, d := NewBench(t, build, "{}").Send(poisonedDefinition)
			assert.Equal(t, core.Block, d.Action)
		}},
		Case{"definitions of tools can be left out", func(t *testing.T, build Builder) {
			_, d := NewBench(t, build, "roles: [user, tool]").Send(poisonedDefinition)
			assert.Equal(t, core.Pass, d.Action)
		}},
	)
}

var poisonedDefinition = `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"add","description":` +
	Quote("Adds numbers. "+Attack) + `,"parameters":{}}}]}`

func nameToolResult(t *testing.T, build Builder) {
	turns := append([]string{FormatMessage("user", "hi")}, FormatToolTurn("1", "fine")...)
	turns = append(turns, FormatToolTurn("2", "Result: sunny. "+Attack)...)
	_, d := NewBench(t, build, "{}").Send(FormatBody(turns...))
	require.Equal(t, core.Block, d.Action)
	assert.Contains(t, d.Err.Public, "messages[4]")
	assert.NotContains(t, d.Err.Public, "previous")
}

func replaceToolResult(t *testing.T, build Builder) {
	b := NewBench(t, build, "detectors: [{type: prompt_injection, action: replace}, {type: jailbreak, action: replace}]")
	turns := append([]string{FormatMessage("user", "hi")}, FormatToolTurn("1", "fine weather")...)
	turns = append(turns, FormatToolTurn("2", "Result: sunny. "+Attack)...)
	x, d := b.Send(FormatBody(turns...))
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Contains(t, string(x.Request.Raw), "The gateway removed this tool result")
	assert.Contains(t, string(x.Request.Raw), "fine weather")
	assert.NotContains(t, string(x.Request.Raw), "previous instructions")
	require.NotEmpty(t, x.Findings)
	assert.Equal(t, "prompt_injection", x.Findings[0].Label)

	_, d = b.Send(FormatBody(FormatMessage("user", Attack)))
	assert.Equal(t, core.Block, d.Action, "what a user writes is not replaced")
}
