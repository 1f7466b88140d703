package webhook

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/plugins/remote"

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

func chainOf(t testing.TB, s core.Stage, rule chain.OnFault) *chain.Chain {
	c, err := chain.New([]chain.Link{{Name: "the-guard", Stage: s, Phases: remote.Phases, Mode: chain.Enforce, OnFault: rule}}, mint{})
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

// runAnswer passes a whole answer through the chain.
func runAnswer(t testing.TB, c *chain.Chain, text string) (string, chain.Decision, *core.Exchange) {
	x := request(t, `{"model":"m","messages":[{"role":"user","content":""}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action) // it has no text to judge
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":` + quote(text) + `}}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	d := c.RunResponse(context.Background(), x)
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

// streamAnswer passes an answer in pieces through the chain, and returns the text that was sent.
func streamAnswer(t testing.TB, c *chain.Chain, pieces []string) (string, *core.Error, *core.Exchange) {
	ctx := context.Background()
	x := request(t, `{"model":"m","stream":true,"messages":[{"role":"user","content":""}]}`)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action) // it has no text to judge
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	var out []byte
	for _, raw := range append(events(pieces), `data: [DONE]`) {
		ev := &core.Event{Raw: []byte(raw + "\n\n")}
		require.NoError(t, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.RunEvent(ctx, ev, out); e != nil {
			break
		}
	}
	s.Close(ctx)
	return readStreamText(t, out), e, x
}

func events(pieces []string) (out []string) {
	for _, p := range pieces {
		out = append(out, `data: {"choices":[{"index":0,"delta":{"content":`+quote(p)+`}}]}`)
	}
	return append(out, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
}

func readStreamText(t testing.TB, raw []byte) string {
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
