package policytest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

// Answer is a whole answer with personal data.
const Answer = `{"id":"a","object":"chat.completion","choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":"his card is 5555 5555 5555 4444"}}],"usage":{"prompt_tokens":1,"completion_tokens":50,"total_tokens":51}}`

// AnswerWhole passes a whole answer through the chain.
func (b *Bench) AnswerWhole(x *core.Exchange, raw string) chain.Decision {
	b.T.Helper()
	x.Response.Reset()
	x.Response.Status, x.Response.Raw = 200, []byte(raw)
	require.NoError(b.T, openai.Chat{}.ScanResponse(x))
	return b.Chain.RunResponse(context.Background(), x)
}

// Stream passes an answer in pieces through the chain, and returns what the client was sent.
func (b *Bench) Stream(x *core.Exchange, pieces ...string) (string, *core.Error) {
	b.T.Helper()
	ctx := context.Background()
	s, e := b.Chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.T, e)
	defer s.Close(ctx)
	var out []byte
	events := make([]string, 0, len(pieces)+2)
	for _, p := range pieces {
		events = append(events, `data: {"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"`+p+`"}}]}`+"\n\n")
	}
	events = append(
		events,
		`data: {"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n",
		"data: [DONE]\n\n",
	)
	for _, raw := range events {
		ev := new(core.Event)
		ev.Reset([]byte(raw))
		require.NoError(b.T, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.RunEvent(ctx, ev, out); e != nil {
			break
		}
	}
	if e == nil {
		out, e = s.End(ctx, out)
	}
	if e != nil && s.Withholds() { // the gateway has waited for the end
		return "", e
	}
	return string(out), e
}

// helloStream is Hello for a streamed answer.
const helloStream = `{"model":"gpt-5","stream":true,"messages":[{"role":"user","content":"hello"}]}`

// judgeAnswers checks what rules with conditions decide about Answer.
func judgeAnswers(t *testing.T, by *Subject, wants map[string]core.Action) {
	for conditions, want := range wants {
		b := newBench(t, by, []string{Policy, Detector}, NewActive(FormatRule(`{id: no, conditions: {`+conditions+`}, action: DENY, deny_message: "Not that."}`)))
		x, d := b.Send(Hello)
		require.Equal(t, core.Pass, d.Action)
		d = b.AnswerWhole(x, Answer)
		require.Equal(t, want, d.Action, conditions)
		if want == core.Block {
			assert.Equal(t, "Not that.", d.Err.Public)
		}
	}
}

func judgeAnswerFindings(t *testing.T, by *Subject) {
	judgeAnswers(t, by, map[string]core.Action{
		`response.pii_types_any: [CREDIT_CARD]`: core.Block, `response.pii_types_any: [IBAN]`: core.Pass,
		`response.pii_types_any: [CREDIT_CARD], tenant.in: [t-b]`: core.Pass,
	})
}

func judgeAnswerLength(t *testing.T, by *Subject) {
	judgeAnswers(t, by, map[string]core.Action{`response.tokens_gt: 49`: core.Block, `response.tokens_gt: 50`: core.Pass})
}

func judgeFinishReason(t *testing.T, by *Subject) {
	judgeAnswers(t, by, map[string]core.Action{
		`response.finish_reason_in: [length]`: core.Block, `response.finish_reason_in: [stop]`: core.Pass,
	})
}

const tooLong = `{id: no, conditions: {response.tokens_gt: 10}, action: DENY, deny_message: "Too long."}`

func cutStream(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(tooLong)))
	x, _ := b.Send(helloStream)
	_, e := b.Stream(x, "short", " one")
	require.Nil(t, e)
	x, _ = b.Send(helloStream)
	out, e := b.Stream(x, strings.Repeat("word ", 5), strings.Repeat("more ", 5), "never sent")
	require.NotNil(t, e)
	assert.Equal(t, "Too long.", e.Public)
	assert.Equal(t, core.CodePolicyDenied, e.Code)
	assert.Contains(t, out, "word")
	assert.NotContains(t, out, "never sent")
}

func withholdStream(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {response.finish_reason_in: [stop]}, action: DENY}`)))
	x, _ := b.Send(helloStream)
	out, e := b.Stream(x, "a", "b")
	require.NotNil(t, e)
	assert.Empty(t, out)
	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {response.finish_reason_in: [length]}, action: DENY}`)))
	x, _ = b.Send(helloStream)
	out, e = b.Stream(x, "a", "b")
	require.Nil(t, e)
	assert.Equal(t, 4, strings.Count(out, "data: "))
}

func passStream(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: f, action: FLAG}`)))
	x, _ := b.Send(helloStream)
	out, e := b.Stream(x, "a", "b")
	require.Nil(t, e)
	assert.Equal(t, 4, strings.Count(out, "data: "))
}

func countStream(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(tooLong)))
	x, _ := b.Send(helloStream)
	x.Usage = llm.Usage{Reported: true, Input: 9, Output: 1}
	_, e := b.Stream(x, strings.Repeat("word ", 5), strings.Repeat("more ", 5), "never sent")
	require.NotNil(t, e)
	assert.Equal(t, "Too long.", e.Public)

	x, _ = b.Send(helloStream)
	x.Usage = llm.Usage{Reported: true, Input: 9, Output: 11}
	_, e = b.Stream(x, "short")
	require.NotNil(t, e, "a provider that counts along is believed")
}

func guardAnswersAlone(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {response.tokens_gt: 1}, action: DENY}`)))
	l := b.Chain.Links()[0]
	l.Phases = core.NewPhaseSet(core.Response)
	own := b.Chain
	only, err := chain.New([]chain.Link{l}, nil)
	require.NoError(t, err)
	b.Chain = only // own closes the link
	x, _ := b.Send(helloStream)
	_, e := b.Stream(x, "a long enough answer")
	require.NotNil(t, e)
	b.Chain = own
}
