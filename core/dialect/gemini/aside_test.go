package gemini

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAStreamShowsTheGuardsWhatAWholeAnswerShows(t *testing.T) {
	const answer = `{"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"send(a)"}},` +
		`{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"sent b"}},{"functionCall":{"name":"to c","args":{"d e":"f"}}}],"role":"model"},"index":0}]}`
	x := &core.Exchange{}
	x.Response.Raw = []byte(answer)
	require.NoError(t, Generate{}.ScanResponse(x))
	var whole []string
	for i := range x.Response.Segments {
		whole = append(whole, x.Response.ReadText(i))
	}
	assert.Equal(t, []string{"send(a)", "sent b", "to c", "d e", "f"}, whole)

	var ev core.Event
	ev.Reset([]byte("data: " + answer + "\n\n"))
	require.NoError(t, Generate{}.ScanEvent(x, &ev))
	var streamed []string
	for _, d := range ev.Deltas {
		streamed = append(streamed, string(ev.Raw[d.Span.Start:d.Span.End]))
	}
	assert.Equal(t, []string{`"send(a)"`, `"sent b"`, `"to c"`, `{"d e":"f"}`}, streamed)
}
