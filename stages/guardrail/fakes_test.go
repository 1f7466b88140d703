package guardrail

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// bench carries exchanges through a chain of the stage alone.
type bench struct {
	t     testing.TB
	chain *chain.Chain
}

func newBench(t testing.TB, config string) *bench {
	t.Helper()
	st, err := New(block(config))
	require.NoError(t, err)
	chain, err := chain.New([]chain.Link{{Name: "guard", Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, nil)
	require.NoError(t, err)
	return &bench{t, chain}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// message is one message of a request.
func message(role, text string) string {
	return `{"role":` + quote(role) + `,"content":` + quote(text) + `}`
}

// body is a request with some messages.
func body(messages ...string) string {
	return `{"model":"m","stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
}

// exchangeOf is a chat request with one user message.
func exchangeOf(t testing.TB, text string) *core.Exchange {
	return exchangeFrom(t, body(message("user", text)))
}

// exchangeFrom is a chat request with a body.
func exchangeFrom(t testing.TB, raw string) *core.Exchange {
	x := &core.Exchange{Principal: &core.Principal{Tenant: "t", KeyID: "k"}}
	x.Request.Raw = []byte(raw)
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

// send takes a request through the chain.
func (b *bench) send(raw string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := exchangeFrom(b.t, raw)
	return x, b.chain.RunRequest(context.Background(), x)
}

// answer is what became of an answer.
type answer struct {
	text    string
	blocked string // the code of the refusal
	labels  []string
}

// runWhole takes a whole answer through the chain.
func (b *bench) runWhole(raw, text string) answer {
	b.t.Helper()
	x, d := b.send(raw)
	require.Equal(b.t, core.Pass, d.Action, "%v", d.Err)
	defer b.chain.Finish(context.Background(), x)
	x.Findings = x.Findings[:0]
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":` + quote(text) + `}}]}`)
	require.NoError(b.t, openai.Chat{}.ScanResponse(x))
	if d := b.chain.RunResponse(context.Background(), x); d.Action == core.Block {
		return answer{blocked: d.Err.Code, labels: labelsOf(x)}
	}
	var v struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	require.NoError(b.t, json.Unmarshal(x.Response.Raw, &v), "%s", x.Response.Raw)
	return answer{text: v.Choices[0].Message.Content, labels: labelsOf(x)}
}

// runStream takes an answer in pieces through the chain. text is what a client was
// sent, also when the answer was blocked.
func (b *bench) runStream(raw string, pieces []string) (a answer) {
	b.t.Helper()
	ctx := context.Background()
	x, d := b.send(raw)
	require.Equal(b.t, core.Pass, d.Action, "%v", d.Err)
	defer b.chain.Finish(ctx, x)
	x.Findings = x.Findings[:0]
	s, e := b.chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
	defer s.Close(ctx)
	var sent strings.Builder
	event := func(raw string) bool {
		ev := &core.Event{Raw: []byte("data: " + raw + "\n\n")}
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		out, e := s.RunEvent(ctx, ev, nil)
		for line := range strings.Lines(string(out)) {
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
			require.NoError(b.t, json.Unmarshal([]byte(data), &v), data)
			for _, c := range v.Choices {
				sent.WriteString(c.Delta.Content)
			}
		}
		if e != nil {
			a.blocked = e.Code
		}
		return e == nil
	}
	going := true
	for _, p := range pieces {
		if going = event(`{"choices":[{"index":0,"delta":{"content":` + quote(p) + `}}]}`); !going {
			break
		}
	}
	if going && event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) {
		event("[DONE]")
	}
	a.text, a.labels = sent.String(), labelsOf(x)
	return a
}

func labelsOf(x *core.Exchange) (out []string) {
	for _, f := range x.Findings {
		out = append(out, f.Label)
	}
	return out
}

// cuts returns a text in some ways of cutting it.
func cuts(text string) (out [][]string) {
	out = append(out, []string{text}, strings.Split(text, ""))
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		var ps []string
		for rest := text; rest != ""; {
			n := min(len(rest), 1+r.IntN(1<<(2*seed)+3))
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			ps = append(ps, rest[:n])
			rest = rest[n:]
		}
		out = append(out, ps)
	}
	return out
}
