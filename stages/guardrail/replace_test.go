package guardrail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// toolTurn is a call of a tool and its result.
func toolTurn(id, result string) []string {
	return []string{
		`{"role":"assistant","content":null,"tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":"read","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":` + quote(id) + `,"content":` + quote(result) + `}`,
	}
}

func TestARefusedToolResultIsNamed(t *testing.T) {
	turns := append([]string{message("user", "hi")}, toolTurn("1", "fine")...)
	turns = append(turns, toolTurn("2", "Result: sunny. "+attackText)...)
	_, d := newBench(t, "{}").send(body(turns...))
	require.Equal(t, core.Block, d.Action)
	assert.Contains(t, d.Err.Public, "messages[4]")
	assert.NotContains(t, d.Err.Public, "previous")
}

func TestANoticeTakesThePlaceOfAPoisonedToolResult(t *testing.T) {
	b := newBench(t, "detectors: [{type: prompt_injection, action: replace}, {type: jailbreak, action: replace}]")
	turns := append([]string{message("user", "hi")}, toolTurn("1", "fine weather")...)
	turns = append(turns, toolTurn("2", "Result: sunny. "+attackText)...)
	x, d := b.send(body(turns...))
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Contains(t, string(x.Request.Raw), "The gateway removed this tool result")
	assert.Contains(t, string(x.Request.Raw), "fine weather")
	assert.NotContains(t, string(x.Request.Raw), "previous instructions")
	require.NotEmpty(t, x.Findings)
	assert.Equal(t, "prompt_injection", x.Findings[0].Label)

	_, d = b.send(body(message("user", attackText)))
	assert.Equal(t, core.Block, d.Action, "what a user writes is not replaced")

	_, err := New(block("detectors: [{type: keywords, words: [a], action: replace}]"))
	assert.ErrorContains(t, err, "phases: [request]")
}

func TestToolDefinitionsAreReadByDefault(t *testing.T) {
	raw := `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"add","description":` + quote("Adds numbers. "+attackText) + `,"parameters":{}}}]}`
	_, d := newBench(t, "{}").send(raw)
	assert.Equal(t, core.Block, d.Action)
	_, d = newBench(t, "roles: [user, tool]").send(raw)
	assert.Equal(t, core.Pass, d.Action)
}
