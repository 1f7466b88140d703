package wasm

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"%"},"finish_reason":null}]}` + "\n\n"

// streamThrough passes the chunks of a chat answer through a chain of the stage and returns what the client receives.
func streamThrough(t *testing.T, st core.Stage, x *core.Exchange, pieces ...string) (string, *core.Error) {
	t.Helper()
	ctx := context.Background()
	c, err := chain.New([]chain.Link{{Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	defer s.Close(ctx)
	require.True(t, s.Withholds())
	var out []byte
	events := make([]string, 0, len(pieces)+2)
	for _, p := range pieces {
		events = append(events, strings.Replace(chunk, "%", p, 1))
	}
	events = append(
		events,
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n",
		"data: [DONE]\n\n",
	)
	for _, raw := range events {
		var ev core.Event
		ev.Reset([]byte(raw))
		require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
		if out, e = s.RunEvent(ctx, &ev, out); e != nil {
			return string(out), e
		}
	}
	out, e = s.End(ctx, out)
	return string(out), e
}

func TestAStageChangesAStreamedAnswerOfAnyLength(t *testing.T) {
	st := script{steps: "3 e 0 0 3 ONE;3 a x-held yes;"}.stage(t)
	x := newConversation(t)
	long := strings.Repeat("0123456789", 10_000) // more than a link that does not withhold may hold
	out, e := streamThrough(t, st, x, "on", "e ", long, long)
	require.Nil(t, e)
	assert.Contains(t, out, `"content":"ONE 0123`)
	assert.Equal(t, 1, strings.Count(out, long+long))
	assert.Equal(t, []core.Field{{Name: "X-Held", Value: "yes"}}, x.Header, "the head has not been sent")
}

func TestAStageDeniesAStreamedAnswerBeforeAnyOfItIsSent(t *testing.T) {
	out, e := streamThrough(t, script{steps: "3 d no no;"}.stage(t), newConversation(t), "some", "thing")
	require.NotNil(t, e)
	assert.Equal(t, "no", e.Code)
	assert.NotContains(t, out, "some")
	_, e = streamThrough(t, script{steps: "4 d late no;"}.stage(t), newConversation(t), "some", "thing")
	require.NotNil(t, e)
	assert.Equal(t, "late", e.Code)
}

func TestWhatAStageKeepsReachesTheEndOfTheExchange(t *testing.T) {
	var lines []string
	s := script{steps: "1 k asked;3 K;3 l;3 k answered;4 K;4 l;5 K;5 f 25;5 c;5 l;"}
	s.log = logTo(&lines)
	st, x := s.stage(t), newConversation(t)
	c, err := chain.New([]chain.Link{{Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	ctx := context.Background()
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	require.Equal(t, core.Pass, c.RunResponse(ctx, x).Action)
	x.Outcome.Kind = core.Served
	c.Finish(ctx, x)
	assert.Equal(t, []string{"asked", "answered served 0"}, lines)
}
