package gemini

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// restoring is a stage that puts a name where "<<N>>" stands.
type restoring struct{}

const (
	mark = "<<N>>"
	joe  = `Joe "J" é`
)

func (restoring) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	v := core.Verdict{Action: core.Rewrite}
	for i := range body.Segments {
		text := body.ReadText(i)
		for at := strings.Index(text, mark); at >= 0; at = -1 {
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(mark), With: joe})
		}
	}
	return v, nil
}

func (restoring) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return filter{}, nil
}

// filter restores in a stream, and holds what may be the beginning of it.
type filter struct{}

func (filter) Close(context.Context) error { return nil }

func (filter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Rewrite}
	for at := w.Sent; ; {
		k := strings.Index(w.Text[at:], mark)
		if k < 0 {
			break
		}
		v.Edits = append(v.Edits, core.Edit{Start: at + k, End: at + k + len(mark), With: joe})
		at += k + len(mark)
	}
	hold := 0
	for n := 1; n < len(mark) && n <= len(w.Text) && !w.Last; n++ {
		if strings.HasSuffix(w.Text, mark[:n]) {
			hold = n
		}
	}
	return v, hold, nil
}

func newChain(t testing.TB) *chain.Chain {
	c, err := chain.New(
		[]chain.Link{{Name: "restore", Stage: restoring{}, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}},
		nil,
	)
	require.NoError(t, err)
	return c
}

// filterEvents runs events through a chain, as the proxy does.
func filterEvents(t testing.TB, events ...string) string {
	x, e := scanRequest(`{` + hello + `}`)
	require.Nil(t, e)
	c := newChain(t)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	s, e := c.Stream(context.Background(), x, Generate{})
	require.Nil(t, e)
	defer s.Close(context.Background())
	var out []byte
	var ev core.Event
	for _, raw := range events {
		ev.Reset([]byte(raw))
		require.NoError(t, Generate{}.ScanEvent(x, &ev))
		out, e = s.RunEvent(context.Background(), &ev, out)
		require.Nil(t, e)
	}
	return string(out)
}

func event(candidate string) string {
	return `data: {"candidates": [{"content": ` + candidate + `,"index": 0}],"modelVersion":"m","responseId":"r"}` + eventEnd
}

func TestAStreamIsRestoredInOrderAndTheRestIsDeliveredAsItCame(t *testing.T) {
	const picture = `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`
	out := filterEvents(
		t,
		event(`{"parts":[{"text":"So, <","thought":true}]}`),
		event(`{"parts":[{"text":"<N>> it is. <","thought":true},{"text":"Dear <<"}]}`),
		event(
			`{"parts":[{"text":"N>>, <<N"},{"functionCall":{"name":"mail","args":{"to":"<<N>>","n":[1,{"x":"<<N"}]}},"thoughtSignature":"QQ=="}]}`,
		),
		event(
			`{"parts":[{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},`+picture+`]}`,
		),
		event(`{"parts":[{"text":"Bye <<N>"}]},"finishReason":"STOP"`),
	)
	assert.Equal(t, []string{
		`started id "r" model "m"`,
		`opened 0 kind 5 {Vendor:gemini ID: Text: Signature: Encrypted:}`,
		`delta 0 "So, "`,
		`delta 0 "Joe \"J\" é it is. <"`,
		`opened 0 kind 1`,
		`delta 0 "Dear "`,
		`delta 0 "Joe \"J\" é, <<N"`,
		`opened 0 kind 3 {ID:call_r_0 Namespace: Name:mail Kind:0 Input: Signature:}`,
		`delta 0 "{\"to\":\"Joe \\\"J\\\" é\",\"n\":[1,{\"x\":\"<<N\"}]}"`,
		`signed 0 "QQ=="`,
		`opened 0 kind 2 {URL: MediaType:image/png Data:AAAA Detail:}`,
		`opened 0 kind 1`,
		`delta 0 "Bye <<N>"`,
		`finished 0 3`,
		`ended`,
	}, decodeStream(t, out))
	assert.Contains(
		t,
		out,
		`{"parts":[{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},`+picture+`]}`,
	)
}

func TestAWholeAnswerIsRestored(t *testing.T) {
	x, e := scanRequest(
		`{"contents":[{"parts":[{"text":"a <<N>>"},{"functionResponse":{"name":"f","response":{"r":"<<N>>"}}}]},{"role":"model","parts":[{"text":"<<N>>","thought":true,"thoughtSignature":"AA"}]}],"generationConfig":{"topK":1}}`,
	)
	require.Nil(t, e)
	c := newChain(t)
	require.Nil(t, c.RunRequest(context.Background(), x).Err)
	const inside = `Joe \"J\" é`
	want := `{"contents":[{"parts":[{"text":"a ` + inside + `"},{"functionResponse":{"name":"f","response":{"r":"` + inside + `"}}}]},{"role":"model","parts":[{"text":"<<N>>","thought":true,"thoughtSignature":"AA"}]}],"generationConfig":{"topK":1}}`
	assert.Equal(t, want, string(x.Request.Raw), "a signed thought is never edited")
	cuts, e := Generate{}.AppendForwardCuts(x, core.Traits{DefaultCap: 5}, nil)
	require.Nil(t, e)
	require.Len(t, cuts, 1)
	assert.Equal(t, strings.Index(want, `"topK"`), cuts[0].Start, "the place for the limit has moved with the text")
}
