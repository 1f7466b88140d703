package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

const reply = "It's \"kept\",\n Grüße."

// newRequest is a request as a client of the shape sends it, scanned.
func newRequest(t *testing.T, d core.Dialect, more string) *core.Exchange {
	t.Helper()
	text := map[string]string{
		"openai.chat":        `{"model":"m","messages":[{"role":"user","content":"hi"}]%s}`,
		"openai.responses":   `{"model":"m","input":"hi"%s}`,
		"openai.completions": `{"model":"m","prompt":"hi"%s}`,
		"anthropic.messages": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]%s}`,
		"gemini.generate":    `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]%s}`,
		"openai.embeddings":  `{"model":"m","input":"hi"%s}`,
	}[d.Name()]
	x := &core.Exchange{Dialect: d.Name(), Principal: &core.Principal{}}
	x.Head.Model = "m"
	if d.Name() == "gemini.generate" && strings.Contains(more, "stream") {
		more, x.Head.Stream = "", true
	}
	x.Request.Raw = []byte(fmt.Sprintf(text, more))
	e := d.Scan(x)
	require.Nil(t, e, "%v", e)
	return x
}

func TestATextBecomesAWholeAnswerOfEachShape(t *testing.T) {
	for _, d := range shapes {
		t.Run(d.Name(), func(t *testing.T) {
			x := newRequest(t, d, "")
			got, err := dialect.BuildAnswer(x, reply)
			require.NoError(t, err)
			assert.Equal(t, "application/json", got.Header.Get("Content-Type"))
			x.Response.Status, x.Response.Raw = got.Status, got.Raw
			require.NoError(t, d.ScanResponse(x), "%s", got.Raw)
			require.Len(t, x.Response.Segments, 1, "%s", got.Raw)
			assert.Equal(t, reply, x.Response.ReadText(0))
			assert.Zero(t, x.Usage.Total())
		})
	}
}

func TestATextBecomesAStreamOfEachShape(t *testing.T) {
	for _, d := range shapes {
		t.Run(d.Name(), func(t *testing.T) {
			x := newRequest(t, d, `,"stream":true`)
			require.True(t, x.Head.Stream)
			got, err := dialect.BuildAnswer(x, reply)
			require.NoError(t, err)
			assert.Equal(t, "text/event-stream", got.Header.Get("Content-Type"))
			said := ""
			var events sse.Splitter
			require.NoError(t, events.Write(got.Raw))
			closes := 0
			for raw := events.Next(); raw != nil; raw = events.Next() {
				var ev core.Event
				ev.Reset(raw)
				require.NoError(t, d.ScanEvent(x, &ev), "%s", raw)
				closes += len(ev.Closes) + len(ev.Ends)
				for _, delta := range ev.Deltas {
					if delta.Span.Len() == 0 {
						continue
					}
					p := core.Payload{Raw: ev.Raw, Segments: []core.Segment{{Depth: delta.Depth, Span: delta.Span}}}
					said += p.ReadText(0)
				}
			}
			assert.Equal(t, reply, said)
			assert.Positive(t, closes, "the answer has an end")
		})
	}
}

func TestEachAnswerThatIsAskedForIsTheText(t *testing.T) {
	x := newRequest(t, openai.Chat{}, `,"n":3`)
	got, err := dialect.BuildAnswer(x, "a")
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(got.Raw), `"content":"a"`))
	x = newRequest(t, openai.Chat{}, `,"n":3,"stream":true`)
	got, err = dialect.BuildAnswer(x, "a")
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(got.Raw), `"content":"a"`), "%s", got.Raw)
	x = newRequest(t, openai.Chat{}, "")
	x.Head.AnswersPerPrompt = 1000
	_, err = dialect.BuildAnswer(x, "a")
	require.ErrorContains(t, err, "so many answers")
}

func TestACallWithoutAnAnswerInWordsIsNotAnswered(t *testing.T) {
	_, err := dialect.BuildAnswer(newRequest(t, openai.Embeddings{}, ""), "a")
	require.ErrorContains(t, err, "not answered in words")
	for _, d := range []core.Dialect{anthropic.CountTokens{}, gemini.CountTokens{}} {
		_, err := dialect.BuildAnswer(&core.Exchange{Dialect: d.Name(), Head: core.Head{Task: llm.TaskCount}}, "a")
		require.ErrorContains(t, err, "not answered in words")
	}
}
