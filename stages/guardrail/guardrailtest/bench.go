// Package guardrailtest holds the cases that every guardrail passes: the compiled-in stage, and plugins in its place.
package guardrailtest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Builder returns the link of a guardrail with a block of settings in YAML. An error means that it refuses the settings; it says why.
type Builder func(t testing.TB, config string) (chain.Link, error)

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, build Builder)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, build Builder) { c.run(t, build) }

// Cases are the cases, in groups by what they are about.
var Cases = concatCases(listRequestCases(), placeCases, listToolCases(), listAnswerCases(), streamCases)

func concatCases(groups ...[]Case) (out []Case) {
	for _, g := range groups {
		out = append(out, g...)
	}
	return out
}

// Bench passes exchanges through a chain of the stage alone.
type Bench struct {
	T     testing.TB
	Chain *chain.Chain
}

// NewBench returns a chain of a link with settings.
func NewBench(t testing.TB, build Builder, config string) *Bench {
	t.Helper()
	l, err := build(t, config)
	require.NoError(t, err)
	l.Name = "guard"
	c, err := chain.New([]chain.Link{l}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return &Bench{t, c}
}

// Quote returns a string as JSON.
func Quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// FormatMessage returns one message of a request.
func FormatMessage(role, text string) string {
	return `{"role":` + Quote(role) + `,"content":` + Quote(text) + `}`
}

// FormatBody returns a request with some messages.
func FormatBody(messages ...string) string {
	return `{"model":"m","stream":true,"messages":[` + strings.Join(messages, ",") + `]}`
}

// FormatToolTurn returns a call of a tool and its result.
func FormatToolTurn(id, result string) []string {
	return []string{
		`{"role":"assistant","content":null,"tool_calls":[{"id":` + Quote(id) + `,"type":"function","function":{"name":"read","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":` + Quote(id) + `,"content":` + Quote(result) + `}`,
	}
}

// NewExchange returns a chat request with a body.
func NewExchange(t testing.TB, raw string) *core.Exchange {
	x := &core.Exchange{Principal: &core.Principal{Tenant: "t", KeyID: "k"}}
	x.Request.Raw = []byte(raw)
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

// Send passes a request through the chain.
func (b *Bench) Send(raw string) (*core.Exchange, chain.Decision) {
	b.T.Helper()
	x := NewExchange(b.T, raw)
	return x, b.Chain.RunRequest(context.Background(), x)
}

// Answer is what became of an answer.
type Answer struct {
	Text    string
	Blocked string // the code of the refusal
	Labels  []string
}

// RunWhole passes a whole answer through the chain.
func (b *Bench) RunWhole(raw, text string) Answer {
	b.T.Helper()
	x, d := b.Send(raw)
	require.Equal(b.T, core.Pass, d.Action, "%v", d.Err)
	defer b.Chain.Finish(context.Background(), x)
	x.Findings = x.Findings[:0]
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":` + Quote(text) + `}}]}`)
	require.NoError(b.T, openai.Chat{}.ScanResponse(x))
	if d := b.Chain.RunResponse(context.Background(), x); d.Action == core.Block {
		return Answer{Blocked: d.Err.Code, Labels: listLabels(x)}
	}
	var v struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	require.NoError(b.T, json.Unmarshal(x.Response.Raw, &v), "%s", x.Response.Raw)
	return Answer{Text: v.Choices[0].Message.Content, Labels: listLabels(x)}
}

// RunStream passes an answer in pieces through the chain. The Text is what a client was sent, also when the answer was blocked.
func (b *Bench) RunStream(raw string, pieces []string) (a Answer) {
	b.T.Helper()
	ctx := context.Background()
	x, d := b.Send(raw)
	require.Equal(b.T, core.Pass, d.Action, "%v", d.Err)
	defer b.Chain.Finish(ctx, x)
	x.Findings = x.Findings[:0]
	s, e := b.Chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.T, e)
	defer s.Close(ctx)
	var sent strings.Builder
	event := func(raw string) bool {
		ev := &core.Event{Raw: []byte("data: " + raw + "\n\n")}
		require.NoError(b.T, openai.Chat{}.ScanEvent(x, ev))
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
			require.NoError(b.T, json.Unmarshal([]byte(data), &v), data)
			for _, c := range v.Choices {
				sent.WriteString(c.Delta.Content)
			}
		}
		if e != nil {
			a.Blocked = e.Code
		}
		return e == nil
	}
	going := true
	for _, p := range pieces {
		if going = event(`{"choices":[{"index":0,"delta":{"content":` + Quote(p) + `}}]}`); !going {
			break
		}
	}
	if going && event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) {
		event("[DONE]")
	}
	a.Text, a.Labels = sent.String(), listLabels(x)
	return a
}

func listLabels(x *core.Exchange) (out []string) {
	for _, f := range x.Findings {
		out = append(out, f.Label)
	}
	return out
}

// cutText returns a text in some ways of cutting it.
func cutText(text string) (out [][]string) {
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

// Prose is 4 KB of ordinary English.
var Prose = func() string {
	const s = `The committee met on Tuesday to look at the plan for the new library. Most members liked the drawings, though two of them asked whether the reading room would be quiet enough, since the main road runs past its windows. The architect explained that the glass is thick and that trees will be planted along the fence. She also showed how visitors find their way from the entrance to the upper floor, where children have a corner of their own. After a short break the group talked about money: the roof costs more than expected, and the council has not yet said how much it can give. They agreed to ask three companies for prices and to meet again in March. `
	return strings.Repeat(s, 8)[:4096]
}()
