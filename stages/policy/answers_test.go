package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

const answer = `{"id":"a","object":"chat.completion","choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":"his card is 5555 5555 5555 4444"}}],"usage":{"prompt_tokens":1,"completion_tokens":50,"total_tokens":51}}`

func TestAnswersAreHeldAgainstRules(t *testing.T) {
	for _, c := range []struct {
		name, conditions string
		want             core.Action
	}{
		{"the finish reason", `response.finish_reason_in: [length]`, core.Block},
		{"another finish reason", `response.finish_reason_in: [stop]`, core.Pass},
		{"the length", `response.tokens_gt: 49`, core.Block},
		{"a shorter one", `response.tokens_gt: 50`, core.Pass},
		{"personal data", `response.pii_types_any: [CREDIT_CARD]`, core.Block},
		{"other personal data", `response.pii_types_any: [IBAN]`, core.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(
				t,
				[]string{Name, "pii"},
				active(rule(`{id: no, conditions: {`+c.conditions+`}, action: DENY, deny_message: "Not that."}`)),
			)
			x, d := b.request(hello)
			require.Equal(t, core.Pass, d.Action)
			x.Response.Status, x.Response.Raw = 200, []byte(answer)
			require.NoError(t, openai.Chat{}.ScanResponse(x))
			d = b.chain.Response(context.Background(), x)
			assert.Equal(t, c.want, d.Action)
			if c.want == core.Block {
				assert.Equal(t, "Not that.", d.Err.Public)
			}
		})
	}
}

func TestARuleOnAnAnswerRedactsIt(t *testing.T) {
	b := newBench(t, []string{Name, "pii"}, active(rule(`{id: r, phase: response, action: REDACT, params: {types: ["*"]}}`)))
	x, _ := b.request(hello)
	x.Response.Status, x.Response.Raw = 200, []byte(answer)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	require.Equal(t, core.Pass, b.chain.Response(context.Background(), x).Action)
	assert.Regexp(t, `his card is \{\{PII_CREDIT_CARD_`, string(x.Response.Raw))
}

func TestARuleOnAnAnswerHoldsForTheAnswerThatFollowsIt(t *testing.T) {
	b := newBench(t, []string{Name, "pii"}, active(rule(`{id: r, phase: response, action: REDACT, params: {types: ["*"]}}`)))
	x, _ := b.request(hello)
	for _, words := range []string{"his card is ", "so, again: his card is "} {
		x.Response.Reset()
		x.Response.Status, x.Response.Raw = 200, []byte(strings.Replace(answer, "his card is 5555 5555 5555 4444",
			words+"5555 5555 5555 4444, and that is all that there is to say about it", 1))
		require.NoError(t, openai.Chat{}.ScanResponse(x))
		require.Equal(t, core.Pass, b.chain.Response(context.Background(), x).Action)
		assert.Regexp(t, words+`\{\{PII_CREDIT_CARD_\w{16}\}\}, and that is all`, string(x.Response.Raw))
	}
}

// stream passes an answer in pieces through the chain, and returns what the client was sent.
func (b *bench) stream(x *core.Exchange, pieces ...string) (string, *core.Error) {
	b.t.Helper()
	ctx := context.Background()
	s, e := b.chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
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
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		if out, e = s.Event(ctx, ev, out); e != nil {
			return string(out), e
		}
	}
	return string(out), nil
}

func TestAStreamEndsWhenARuleDeniesIt(t *testing.T) {
	b := newBench(t, []string{Name}, active(rule(`{id: no, conditions: {response.tokens_gt: 10}, action: DENY, deny_message: "Too long."}`)))
	x, _ := b.request(hello)
	_, e := b.stream(x, "short", " one")
	require.Nil(t, e)
	x, _ = b.request(hello)
	out, e := b.stream(x, strings.Repeat("word ", 5), strings.Repeat("more ", 5), "never sent")
	require.NotNil(t, e)
	assert.Equal(t, "Too long.", e.Public)
	assert.NotContains(t, out, "never sent")
}

func TestAStreamWithoutRulesPassesAsItCame(t *testing.T) {
	b := newBench(t, []string{Name}, active(rule(`{id: f, action: FLAG}`)))
	x, _ := b.request(hello)
	out, e := b.stream(x, "a", "b")
	require.Nil(t, e)
	assert.Equal(t, 4, strings.Count(out, "data: "))
}

func TestACountAtTheBeginningOfAStreamDoesNotHideItsLength(t *testing.T) {
	b := newBench(t, []string{Name}, active(rule(`{id: no, conditions: {response.tokens_gt: 10}, action: DENY, deny_message: "Too long."}`)))
	x, _ := b.request(hello)
	x.Usage = llm.Usage{Reported: true, Input: 9, Output: 1}
	_, e := b.stream(x, strings.Repeat("word ", 5), strings.Repeat("more ", 5), "never sent")
	require.NotNil(t, e)
	assert.Equal(t, "Too long.", e.Public)

	x, _ = b.request(hello)
	x.Usage = llm.Usage{Reported: true, Input: 9, Output: 11}
	_, e = b.stream(x, "short")
	require.NotNil(t, e, "a provider that counts along is believed")
}
