package webhook

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

func TestAReceiverIsToldIdsAndTextsAndNothingElse(t *testing.T) {
	r := receives(t, finds(webhook.Redact))
	c := chainOf(t, r.link(t), chain.FaultBlocks)
	x := request(t, `{"model":"gpt-x","user":"u-1","messages":[{"role":"system","content":"be kind"},
		{"role":"user","content":[{"type":"text","text":"a \"PROJECT-"},{"type":"text","text":"APOLLO\"\n"}]},
		{"role":"assistant","tool_calls":[{"id":"`+canary+`","type":"function","function":{"name":"f","arguments":"{\"q\":\"PROJECT-GEMINI\"}"}}]},
		{"role":"tool","tool_call_id":"`+canary+`","content":"none"}]}`)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	got := <-r.requests
	assert.Equal(t, webhook.Request{
		Version: 1, Link: "the-guard", Phase: "request", Exchange: "x-1", Tenant: "acme", Key: "key-7", Shape: "openai.chat", Model: "gpt-x",
		Segments: []webhook.Segment{
			{Role: "system", Kind: "other", Path: "user", Text: "u-1"},
			{Role: "system", Kind: "text", Path: "messages[0].content", Text: "be kind"},
			{Role: "user", Kind: "text", Path: got.Segments[2].Path, Text: "a \"PROJECT-APOLLO\"\n"},
			{Role: "assistant", Kind: "tool_args", Path: got.Segments[3].Path, Text: "q"},
			{Role: "assistant", Kind: "tool_args", Path: got.Segments[4].Path, Text: "PROJECT-GEMINI"},
			{Role: "tool", Kind: "tool_result", Path: "messages[3].content", Text: "none"},
		},
	}, got)
	assert.Contains(t, string(x.Request.Raw), `"text":"a \"<PROJECT:PROJECT-APOLLO>"`, "a value split over two parts is sent as one")
	assert.Contains(t, string(x.Request.Raw), `{\"q\":\"<PROJECT:PROJECT-GEMINI>\"}`)
	require.Len(t, x.Findings, 2)
	assert.Equal(
		t,
		core.Finding{Link: "the-guard", Label: "project", Phase: core.Request, Segment: 2, Start: 3, End: x.Findings[0].End, Score: 1},
		x.Findings[0],
	)
}

func TestEachActionIsCarriedOutOnWholeAndStreamedAnswers(t *testing.T) {
	// A name at each position around the edges of windows, in pieces of every size.
	r := rand.New(rand.NewPCG(1, 2))
	filler := func(n int) string { return strings.Repeat("wörd ", n/5) + strings.Repeat("x", n%5) }
	link := receives(t, finds(webhook.Redact)).link(t)
	redacts, flags := chainOf(t, link, 0), chainOf(t, receives(t, finds(webhook.Flag)).link(t), 0)
	for n := 280; n < 430; n += 7 {
		text := filler(n) + " PROJECT-APOLLO " + filler(n)
		want := filler(n) + " <PROJECT:PROJECT-APOLLO> " + filler(n)
		got, _, x := runAnswer(t, redacts, text)
		require.Equal(t, want, got)
		require.Len(t, x.Findings, 1, "overlapping windows report a finding once")
		for _, size := range []int{3, 40, 1000} {
			pieces := stagetest.Chop(r, text, size)
			got, e, x := streamAnswer(t, redacts, pieces)
			require.Nil(t, e)
			require.Equal(t, want, got)
			require.Len(t, x.Findings, 1)
			got, e, x = streamAnswer(t, flags, pieces)
			require.Nil(t, e)
			require.Equal(t, text, got)
			require.Len(t, x.Findings, 1)
		}
	}
}

func TestABlockIsToldInTheReceiversWordsAndStopsTheStream(t *testing.T) {
	judge := func(ctx context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		v, err := finds(webhook.Block)(ctx, in)
		v.Message = "Do not name\nprojects.\u202e"
		return v, err
	}
	c := chainOf(t, receives(t, judge).link(t), 0)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.False(t, d.Fault)
	assert.Equal(t, 400, d.Err.HTTPStatus())
	assert.Equal(t, core.CodeContentFilter, d.Err.Code)
	assert.Equal(t, "Do not name projects.", d.Err.Public)
	require.Len(t, x.Findings, 1)

	text := strings.Repeat("a", 700) + "PROJECT-APOLLO" + strings.Repeat("b", 700)
	got, e, x := streamAnswer(t, c, stagetest.Chop(rand.New(rand.NewPCG(1, 2)), text, 10))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeContentFilter, e.Code)
	assert.Equal(t, strings.Repeat("a", 600), got, "up to the window that is refused")
	assert.NotEmpty(t, x.Findings)
}

func TestALongPromptIsJudgedInSeveralCallsAndLosesNothing(t *testing.T) {
	r := receives(t, finds(webhook.Redact))
	c := chainOf(t, r.link(t), 0)
	text := strings.Repeat(strings.Repeat("é", 65_530)+"PROJECT-APOLLO", 20) // about 2.6 MB
	x := request(t, `{"model":"m","messages":[{"role":"user","content":`+quote(text)+`}]}`)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Greater(t, r.calls.Load(), int64(1))
	assert.NotContains(t, strings.ReplaceAll(string(x.Request.Raw), "<PROJECT:PROJECT-APOLLO>", ""), "PROJECT-")
	assert.Len(t, x.Findings, 20)
}

func TestAnAnswerWithoutTextCallsNobody(t *testing.T) {
	r := receives(t, finds(webhook.Block))
	c := chainOf(t, r.link(t), 0)
	_, d, _ := runAnswer(t, c, "")
	require.Equal(t, core.Pass, d.Action)
	_, e, _ := streamAnswer(t, c, nil)
	require.Nil(t, e)
	assert.Zero(t, r.calls.Load())
}

func TestAStagePrintsItsNameAndNotItsSecret(t *testing.T) {
	s := receives(t, finds(webhook.Block)).link(t)
	assert.Equal(t, `webhook "the-guard"`, s.String())
	assert.Equal(t, `webhook "the-guard"`, s.GoString())
}

func TestAStreamIsJudgedByTheWindowsOfTheWhole(t *testing.T) {
	r := receives(t, finds(webhook.Flag))
	c := chainOf(t, r.link(t), 0)
	asked := func() (windows []string) {
		for {
			select {
			case in := <-r.requests:
				for _, s := range in.Segments {
					windows = append(windows, s.Text)
					assert.Equal(t, len(windows) > 1, s.Before)
				}
			default:
				return windows
			}
		}
	}
	const token = "{{PII_EMAIL_0123456789abcdef}}"
	texts := []string{
		strings.Repeat(
			"a",
			399,
		),
		strings.Repeat("é", 400),
		strings.Repeat("a", 401),
		strings.Repeat("a", 700),
		strings.Repeat("a", 1000),
		strings.Repeat("a", 1001),
		strings.Repeat(
			"a",
			390,
		) + token + strings.Repeat(
			"b",
			290,
		) + token,
		strings.Repeat(token, 60),
		strings.Repeat("{", 900),
		strings.Repeat("{{PII_", 200),
	}
	for _, text := range texts {
		_, d, _ := runAnswer(t, c, text)
		require.Equal(t, core.Pass, d.Action)
		want := asked()
		for _, size := range []int{1, 7, 100, 5000} {
			_, e, _ := streamAnswer(t, c, stagetest.Chop(rand.New(rand.NewPCG(1, 2)), text, size))
			require.Nil(t, e)
			require.Equal(t, want, asked(), "%.20s… in pieces of %d", text, size)
		}
		for _, w := range want {
			if strings.Contains(text, token) {
				assert.Empty(t, strings.Trim(strings.ReplaceAll(w, token, ""), "ab"), "no window cuts a placeholder in two")
			}
		}
	}
}
