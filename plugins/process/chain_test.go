package process

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// mint creates placeholders that show their values.
type mint struct{}

func (mint) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	return "<" + typ + ":" + value + ">", nil
}

func (mint) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}

func chainOf(t testing.TB, s *Stage, rule chain.OnFault) *chain.Chain {
	c, err := chain.New([]chain.Link{{Name: s.spec.Link, Stage: s, Phases: s.Phases(), Mode: chain.Enforce, OnFault: rule}}, mint{})
	require.NoError(t, err)
	return c
}

func request(t testing.TB, body string) *core.Exchange {
	x := &core.Exchange{ID: "x-1", Dialect: "openai.chat", Principal: &core.Principal{Tenant: "acme", KeyID: "key-7"}}
	x.Request.Raw = []byte(body)
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

func user(text string) string {
	b, _ := json.Marshal(text)
	return `{"model":"m","messages":[{"role":"system","content":"be kind"},{"role":"user","content":` + string(b) + `}]}`
}

func run(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

func TestAProcessRedactsRequestsAndAnswersOfARealShape(t *testing.T) {
	c := chainOf(t, plug(t, "words").stage(t), chain.FaultBlocks)
	x := request(
		t,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"😀 \"PROJECT-APOLLO\" and"},{"type":"text","text":" PROJECT-GEMINI"}]}]}`,
	)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Contains(t, string(x.Request.Raw), `😀 \"<PROJECT:PROJECT-APOLLO>\" and`)
	assert.Contains(t, string(x.Request.Raw), ` <PROJECT:PROJECT-GEMINI>`)
	require.Len(t, x.Findings, 2)
	assert.Equal(t, "project", x.Findings[0].Label)
	assert.Equal(t, core.FoundDetector, x.Findings[0].Kind)

	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":"about PROJECT-APOLLO, é"}}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	assert.Contains(t, string(x.Response.Raw), `"about <PROJECT:PROJECT-APOLLO>, é"`)
}

// streamAnswer passes an answer in pieces through the chain, and returns what was sent.
func streamAnswer(t testing.TB, c *chain.Chain, pieces []string) (string, *core.Error, *core.Exchange) {
	t.Helper()
	ctx := context.Background()
	x := request(t, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, openai.Chat{})
	defer s.Close(ctx)
	if e != nil {
		return "", e, x
	}
	var out []byte
	var events []string
	for _, p := range pieces {
		b, _ := json.Marshal(p)
		events = append(events, `{"choices":[{"index":0,"delta":{"content":`+string(b)+`}}]}`)
	}
	for _, raw := range append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]") {
		ev := &core.Event{Raw: []byte("data: " + raw + "\n\n")}
		require.NoError(t, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.RunEvent(ctx, ev, out); e != nil {
			break
		}
	}
	return readStreamText(t, out), e, x
}

// readStreamText returns the text of a stream.
func readStreamText(t testing.TB, raw []byte) string {
	var text strings.Builder
	for line := range strings.Lines(string(raw)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var v struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		require.NoError(t, json.Unmarshal([]byte(data), &v))
		for _, c := range v.Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return text.String()
}

func TestAProcessRedactsAStreamHoweverItIsCut(t *testing.T) {
	c := chainOf(t, plug(t, "words").stage(t), chain.FaultBlocks)
	text := "about PROJECT-APOLLO and PROJECT-GEMINI, PROJECT-"
	for _, pieces := range [][]string{{text}, strings.Split(text, ""), strings.SplitAfter(text, " ")} {
		got, e, _ := streamAnswer(t, c, pieces)
		require.Nil(t, e)
		assert.Equal(t, "about <PROJECT:PROJECT-APOLLO> and <PROJECT:PROJECT-GEMINI>, PROJECT-", got)
	}
	c = chainOf(t, plug(t, "words", func(s *Spec) { s.Config = settings{"Action": "block"} }).stage(t), chain.FaultBlocks)
	got, e, _ := streamAnswer(t, c, strings.SplitAfter("let us see PROJECT-APOLLO now", " "))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeContentFilter, e.Code)
	assert.Equal(t, "projects are not talked about", e.Public)
	assert.Equal(t, "let us see ", got)
}

func TestAPluginThatDoesNotLookAtStreamsIsAFaultOfTheStream(t *testing.T) {
	c := chainOf(t, plug(t, "keeps").stage(t), chain.FaultBlocks)
	_, e, _ := streamAnswer(t, c, []string{"x"})
	require.NotNil(t, e)
	assert.Equal(t, core.CodeGuardUnavailable, e.Code)
}

// A chosen model may reach providers that no route opens to clients.
func TestAPluginThatHandsBackTheModelItWasShownHasNotChosenIt(t *testing.T) {
	c := chainOf(t, plug(t, "keeps").stage(t), chain.FaultBlocks)
	for text, chosen := range map[string]bool{"echo": false, "hello": true} {
		x := request(t, user(text))
		require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
		assert.Equal(t, chosen, x.IsModelChosen(), text)
		assert.EqualValues(t, 7, x.TokenCap(), "the rest of the patch applies")
	}
}

func TestWhatAPluginKeepsComesBackAndWhatItSaysIsCarriedOut(t *testing.T) {
	p := plug(t, "keeps")
	st := p.stage(t)
	c := chainOf(t, st, chain.FaultBlocks)
	x := request(t, user("answer me"))
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Answer, d.Action)
	assert.JSONEq(t, `{"choices":[{"index":0,"message":{"role":"assistant","content":"here"}}]}`, string(d.Reply.Raw))
	c.Finish(context.Background(), x)

	x = request(t, user("hello"))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, []core.Field{{Name: "X-Keeps", Value: "yes"}}, x.Header)
	assert.Equal(t, "cheap", x.Model(), "its patch")
	assert.EqualValues(t, 7, x.TokenCap())
	x.Target = core.TargetRef{Provider: "p", Model: "forbidden"}
	d = c.RunTarget(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, 403, d.Err.HTTPStatus())
	assert.Equal(t, "NOT_THERE", d.Err.Code)
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":"no"}}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	d = c.RunResponse(context.Background(), x)
	require.Equal(t, core.Retry, d.Action)
	require.Len(t, d.Append, 1)
	assert.Equal(t, "hello was kept", d.Append[0].Text())
	assert.Equal(t, 429, d.Err.HTTPStatus())
	assert.Equal(t, 3*time.Second, d.Err.RetryAfter)
	x.Outcome.Kind, x.Usage.Reported, x.Usage.Input = core.Served, true, 5
	c.Finish(context.Background(), x)
	assert.EqualValues(t, 6, st.Stats().Calls, "four checks and two ends")
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(p.log.copyLines(), "\n"), "finish kept=hello outcome=served input=5")
	}, timeToWait, tick)
}

func TestWhatAPluginKeepsOfAStreamIsThereAtTheEnd(t *testing.T) {
	p := plug(t, "minds")
	c := chainOf(t, p.stage(t), chain.FaultBlocks)
	_, e, x := streamAnswer(t, c, []string{"first"})
	require.Nil(t, e)
	c.Finish(context.Background(), x)
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(p.log.copyLines(), "\n"), "finish kept=") }, timeToWait, tick)
	assert.Contains(t, strings.Join(p.log.copyLines(), "\n"), "finish kept=first")
}
