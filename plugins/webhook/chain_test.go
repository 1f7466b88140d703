package webhook

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// mint makes placeholders that show what they stand for.
type mint struct{}

func (mint) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	return "<" + typ + ":" + value + ">", nil
}

func (mint) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}

func chainOf(t testing.TB, s core.Stage, rule core.OnFault) *core.Chain {
	c, err := core.NewChain([]core.Link{{Name: "the-guard", Stage: s, Phases: Phases, Mode: core.Enforce, OnFault: rule}}, mint{})
	require.NoError(t, err)
	return c
}

func request(t testing.TB, body string) *core.Exchange {
	x := &core.Exchange{ID: "x-1", Dialect: "openai.chat", Principal: &core.Principal{
		Tenant: "acme", KeyID: "key-7", KeyPrefix: "gw_" + canary, KeyName: canary,
	}}
	x.Request.Raw = []byte(body)
	x.Request.Header = http.Header{"Authorization": {"Bearer " + canary}}
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// answered takes a whole answer through the chain.
func answered(t testing.TB, c *core.Chain, text string) (string, core.Decision, *core.Exchange) {
	x := request(t, `{"model":"m","messages":[{"role":"user","content":""}]}`)
	require.Equal(t, core.Pass, c.Request(context.Background(), x).Action) // which has no text to judge
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":` + quote(text) + `}}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	d := c.Response(context.Background(), x)
	var v struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	require.NoError(t, json.Unmarshal(x.Response.Raw, &v))
	return v.Choices[0].Message.Content, d, x
}

// streamed takes an answer in pieces through the chain, and gives what was sent.
func streamed(t testing.TB, c *core.Chain, pieces []string) (string, *core.Error, *core.Exchange) {
	ctx := context.Background()
	x := request(t, `{"model":"m","stream":true,"messages":[{"role":"user","content":""}]}`)
	require.Equal(t, core.Pass, c.Request(ctx, x).Action) // as above
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	var out []byte
	for _, raw := range append(events(pieces), `data: [DONE]`) {
		ev := &core.Event{Raw: []byte(raw + "\n\n")}
		require.NoError(t, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.Event(ctx, ev, out); e != nil {
			break
		}
	}
	s.Close(ctx)
	return said(t, out), e, x
}

func events(pieces []string) (out []string) {
	for _, p := range pieces {
		out = append(out, `data: {"choices":[{"index":0,"delta":{"content":`+quote(p)+`}}]}`)
	}
	return append(out, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
}

func said(t testing.TB, raw []byte) string {
	var b strings.Builder
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
		require.NoError(t, json.Unmarshal([]byte(data), &v), data)
		for _, c := range v.Choices {
			b.WriteString(c.Delta.Content)
		}
	}
	return b.String()
}

func TestAReceiverIsToldIdsAndTextsAndNothingElse(t *testing.T) {
	r := receives(t, finds(webhook.Redact))
	c := chainOf(t, r.link(t), core.FaultBlocks)
	x := request(t, `{"model":"gpt-x","user":"`+canary+`","messages":[{"role":"system","content":"be kind"},
		{"role":"user","content":[{"type":"text","text":"a \"PROJECT-"},{"type":"text","text":"APOLLO\"\n"}]},
		{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"q\":\"PROJECT-GEMINI\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"none"}]}`)
	d := c.Request(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	got := <-r.requests
	assert.Equal(t, webhook.Request{
		Version: 1, Link: "the-guard", Phase: "request", Exchange: "x-1", Tenant: "acme", Key: "key-7", Shape: "openai.chat", Model: "gpt-x",
		Segments: []webhook.Segment{
			{Role: "system", Kind: "text", Path: "messages[0].content", Text: "be kind"},
			{Role: "user", Kind: "text", Path: got.Segments[1].Path, Text: "a \"PROJECT-APOLLO\"\n"},
			{Role: "assistant", Kind: "tool_args", Path: got.Segments[2].Path, Text: "PROJECT-GEMINI"},
			{Role: "tool", Kind: "tool_result", Path: "messages[3].content", Text: "none"},
		},
	}, got)
	assert.Contains(t, string(x.Request.Raw), `"text":"a \"<PROJECT:PROJECT-APOLLO>"`, "a value split over two parts goes as one")
	assert.Contains(t, string(x.Request.Raw), `{\"q\":\"<PROJECT:PROJECT-GEMINI>\"}`)
	require.Len(t, x.Findings, 2)
	assert.Equal(t, core.Finding{Link: "the-guard", Label: "project", Phase: core.Request, Segment: 1, Start: 3, End: x.Findings[0].End, Score: 1}, x.Findings[0])
}

func TestEachActionIsCarriedOutOnWholeAndStreamedAnswers(t *testing.T) {
	// A name at each place around the edges of windows, in pieces of every size.
	r := rand.New(rand.NewPCG(1, 2))
	filler := func(n int) string { return strings.Repeat("wörd ", n/5) + strings.Repeat("x", n%5) }
	link := receives(t, finds(webhook.Redact)).link(t)
	redacts, flags := chainOf(t, link, 0), chainOf(t, receives(t, finds(webhook.Flag)).link(t), 0)
	for n := 280; n < 430; n += 7 {
		text := filler(n) + " PROJECT-APOLLO " + filler(n)
		want := filler(n) + " <PROJECT:PROJECT-APOLLO> " + filler(n)
		got, _, x := answered(t, redacts, text)
		require.Equal(t, want, got)
		require.Len(t, x.Findings, 1, "windows that overlap report one thing once")
		for _, size := range []int{3, 40, 1000} {
			pieces := stagetest.Chop(r, text, size)
			got, e, x := streamed(t, redacts, pieces)
			require.Nil(t, e)
			require.Equal(t, want, got)
			require.Len(t, x.Findings, 1)
			got, e, x = streamed(t, flags, pieces)
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
	d := c.Request(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.False(t, d.Fault)
	assert.Equal(t, 400, d.Err.HTTPStatus())
	assert.Equal(t, core.CodeContentFilter, d.Err.Code)
	assert.Equal(t, "Do not name projects.", d.Err.Public)
	require.Len(t, x.Findings, 1)

	text := strings.Repeat("a", 700) + "PROJECT-APOLLO" + strings.Repeat("b", 700)
	got, e, x := streamed(t, c, stagetest.Chop(rand.New(rand.NewPCG(1, 2)), text, 10))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeContentFilter, e.Code)
	assert.Equal(t, strings.Repeat("a", 600), got, "up to the window that is refused")
	assert.NotEmpty(t, x.Findings)
}

func TestASpanIsReplacedAsTheReceiverSays(t *testing.T) {
	stars, none, half := "***", "", 0.5
	for name, c := range map[string]struct {
		findings []webhook.Finding
		unit     webhook.Unit
		text     string
		want     string
	}{
		"by a placeholder":                {[]webhook.Finding{{Start: 0, End: 3, Label: "a_1_"}}, "", "abc def", "<A_1:abc> def"},
		"by a text of its own":            {[]webhook.Finding{{Start: 0, End: 3, Label: "a", With: &stars, Score: &half}}, webhook.Byte, "abc def", "*** def"},
		"by nothing":                      {[]webhook.Finding{{Start: 0, End: 4, Label: "a", With: &none}}, "", "abc def", "def"},
		"two that overlap, by the longer": {[]webhook.Finding{{Start: 2, End: 7, Label: "b"}, {Start: 0, End: 3, Label: "a", With: &stars}}, "", "abc def ghi", "<B:abc def> ghi"},
		"two that touch":                  {[]webhook.Finding{{Start: 3, End: 7, Label: "b"}, {Start: 0, End: 3, Label: "a", With: &stars}}, "", "abc def ghi", "***<B: def> ghi"},
		"in units of UTF-16":              {[]webhook.Finding{{Start: 3, End: 5, Label: "a"}}, webhook.UTF16, "é😀bé def", "é😀<A:bé> def"},
		"in characters":                   {[]webhook.Finding{{Start: 2, End: 4, Label: "a"}}, webhook.Rune, "é😀bé", "é😀<A:bé>"},
		"not in a placeholder's digits":   {[]webhook.Finding{{Start: 12, End: 20, Label: "a"}, {Start: 30, End: 33, Label: "a", With: &stars}}, "", "{{PII_EMAIL_0123456789abcdef}}abc", "{{PII_EMAIL_0123456789abcdef}}***"},
		"never half a placeholder":        {[]webhook.Finding{{Start: 20, End: 33, Label: "a", With: &stars}}, "", "{{PII_EMAIL_0123456789abcdef}}abc", "***"},
	} {
		t.Run(name, func(t *testing.T) {
			chain := chainOf(t, receives(t, says(webhook.Verdict{Action: webhook.Redact, Unit: c.unit, Findings: c.findings})).link(t), 0)
			got, d, _ := answered(t, chain, c.text)
			require.Equal(t, core.Pass, d.Action, "%v", d.Err)
			assert.Equal(t, c.want, got)
			got, e, _ := streamed(t, chain, strings.Split(c.text, ""))
			require.Nil(t, e)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestOffsetsOfEveryUnitAgree(t *testing.T) {
	text := "aé😀\u0301b日本😀"
	bytes, units, runes := 0, 0, 0
	for _, r := range text {
		for u, n := range map[webhook.Unit]int{webhook.Byte: bytes, webhook.UTF16: units, webhook.Rune: runes, "": bytes} {
			got, ok := offset(text, n, u)
			require.True(t, ok)
			require.Equal(t, bytes, got)
		}
		if r > 0xFFFF {
			_, ok := offset(text, units+1, webhook.UTF16)
			require.False(t, ok, "half a pair of surrogates")
		}
		bytes, units, runes = bytes+utf8.RuneLen(r), units+utf16.RuneLen(r), runes+1
	}
	for u, n := range map[webhook.Unit]int{webhook.Byte: bytes, webhook.UTF16: units, webhook.Rune: runes} {
		got, ok := offset(text, n, u)
		require.True(t, ok)
		require.Equal(t, len(text), got)
		_, ok = offset(text, n+1, u)
		require.False(t, ok)
	}
}

func TestALongPromptIsJudgedInSeveralCallsAndLosesNothing(t *testing.T) {
	r := receives(t, finds(webhook.Redact))
	c := chainOf(t, r.link(t), 0)
	text := strings.Repeat(strings.Repeat("é", 65_530)+"PROJECT-APOLLO", 20) // about 2.6 MB
	x := request(t, `{"model":"m","messages":[{"role":"user","content":`+quote(text)+`}]}`)
	d := c.Request(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Greater(t, r.calls.Load(), int64(1))
	assert.NotContains(t, strings.ReplaceAll(string(x.Request.Raw), "<PROJECT:PROJECT-APOLLO>", ""), "PROJECT-")
	assert.Len(t, x.Findings, 20)
}

// broken fails every nth call from the first on.
func broken(t testing.TB, healthy func(n int64) bool, judge webhook.Judge) *receiver {
	var n atomic.Int64
	h := webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, judge)
	return serves(t, new(receiver), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !healthy(n.Add(1)) {
			http.Error(w, canary, http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	}))
}

func never(int64) bool { return false }

func TestAFailureBlocksInFailModeClosed(t *testing.T) {
	c := chainOf(t, broken(t, never, finds(webhook.Redact)).link(t), core.FaultBlocks)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	d := c.Request(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Equal(t, 503, d.Err.HTTPStatus())
	assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
	assert.NotContains(t, d.Err.Public, canary)

	_, d, _ = answered(t, c, "PROJECT-APOLLO")
	assert.Equal(t, core.Block, d.Action)
	got, e, _ := streamed(t, c, strings.Split(strings.Repeat("PROJECT-APOLLO ", 100), ""))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeGuardUnavailable, e.Code)
	assert.Empty(t, got, "nothing was let through before the verdict")
}

func TestAFailureIsAnEmptyResultInFailModeOpen(t *testing.T) {
	c := chainOf(t, broken(t, never, finds(webhook.Redact)).link(t, func(o *Options) { o.FailOpen = true }), core.FaultPasses)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	raw := string(x.Request.Raw)
	d := c.Request(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, raw, string(x.Request.Raw))
	assert.Empty(t, x.Findings)
	require.Len(t, x.Visits, 1)
	assert.Equal(t, core.FaultError, x.Visits[0].Fault, "the fault is recorded all the same")

	text := strings.Repeat("PROJECT-APOLLO ", 100)
	got, d, x := answered(t, c, text)
	assert.Equal(t, core.Pass, d.Action)
	assert.Equal(t, text, got)
	assert.Empty(t, x.Findings)
	got, e, x := streamed(t, c, strings.SplitAfter(text, " "))
	require.Nil(t, e)
	assert.Equal(t, text, got)
	assert.Empty(t, x.Findings)
	assert.NotZero(t, x.Visits[len(x.Visits)-1].Fault)
}

func TestAStreamThatFailsOpenIsGuardedAgainAfterAFailure(t *testing.T) {
	r := broken(t, func(n int64) bool { return n != 2 }, finds(webhook.Redact))
	c := chainOf(t, r.link(t, func(o *Options) { o.FailOpen = true }), core.FaultPasses)
	text := strings.Repeat("a", 200) + "PROJECT-A" + strings.Repeat("b", 321) + "PROJECT-B" + strings.Repeat("c", 430) + "PROJECT-C."
	text = strings.NewReplacer("PROJECT-A", " PROJECT-AAA ", "PROJECT-B", " PROJECT-BBB ", "PROJECT-C", " PROJECT-CCC ").Replace(text)
	got, e, x := streamed(t, c, strings.Split(text, ""))
	require.Nil(t, e)
	want := strings.NewReplacer("PROJECT-AAA", "<PROJECT:PROJECT-AAA>", "PROJECT-CCC", "<PROJECT:PROJECT-CCC>").Replace(text)
	assert.Equal(t, want, got, "the second window alone was not judged")
	assert.Equal(t, core.FaultError, x.Visits[len(x.Visits)-1].Fault)
}

func TestFindingsThatOverlapWithoutEndAreAFault(t *testing.T) {
	c := chainOf(t, receives(t, func(_ context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Redact}
		for i, s := range in.Segments {
			v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: 0, End: len(s.Text), Label: "all"})
		}
		return v, nil
	}).link(t), 0)
	text := strings.Repeat("a", 3*maxJoined)
	_, d, x := answered(t, c, text)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, core.FaultVerdict, x.Visits[len(x.Visits)-1].Fault)
	got, e, _ := streamed(t, c, strings.SplitAfter(strings.Repeat("a", 3*maxJoined), strings.Repeat("a", 50)))
	require.NotNil(t, e)
	assert.Empty(t, got)
	got, d, _ = answered(t, c, text[:2000])
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, "<ALL:"+text[:2000]+">", got, "below the limit they become one")
}

func TestAnAnswerWithoutTextCallsNobody(t *testing.T) {
	r := receives(t, finds(webhook.Block))
	c := chainOf(t, r.link(t), 0)
	_, d, _ := answered(t, c, "")
	require.Equal(t, core.Pass, d.Action)
	_, e, _ := streamed(t, c, nil)
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
		strings.Repeat("a", 399), strings.Repeat("é", 400), strings.Repeat("a", 401), strings.Repeat("a", 700), strings.Repeat("a", 1000), strings.Repeat("a", 1001),
		strings.Repeat("a", 390) + token + strings.Repeat("b", 290) + token, strings.Repeat(token, 60), strings.Repeat("{", 900), strings.Repeat("{{PII_", 200),
	}
	for _, text := range texts {
		_, d, _ := answered(t, c, text)
		require.Equal(t, core.Pass, d.Action)
		want := asked()
		for _, size := range []int{1, 7, 100, 5000} {
			_, e, _ := streamed(t, c, stagetest.Chop(rand.New(rand.NewPCG(1, 2)), text, size))
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
