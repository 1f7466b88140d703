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

// followedThrough passes pieces of a chat answer through a chain of one link. It returns what the client has received after each piece
// and at the end.
func followedThrough(t *testing.T, l chain.Link, x *core.Exchange, pieces ...string) (read []string, e *core.Error) {
	t.Helper()
	ctx := context.Background()
	l.Name, l.Phases = "link", core.NewPhaseSet(core.Request, core.Response)
	c, err := chain.New([]chain.Link{l}, nil)
	require.NoError(t, err)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, openai.Chat{})
	if e != nil {
		return nil, e
	}
	defer s.Close(ctx)
	require.False(t, s.Withholds())
	var out []byte
	for k, p := range append(pieces, "") {
		raw := strings.Replace(chunk, "%", p, 1)
		if k == len(pieces) {
			raw = strings.Replace(strings.Replace(chunk, `"content":"%"`, "", 1), "null", `"stop"`, 1)
		}
		var ev core.Event
		ev.Reset([]byte(raw))
		require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
		if out, e = s.RunEvent(ctx, &ev, out); e != nil {
			return read, e
		}
		read = append(read, contents(string(out)))
	}
	out, e = s.End(ctx, out)
	return append(read, contents(string(out))), e
}

// contents joins the text of the answer that a client receives.
func contents(events string) (text string) {
	for _, part := range strings.Split(events, `"content":"`)[1:] {
		piece, _, _ := strings.Cut(part, `"`)
		text += piece
	}
	return text
}

func TestTextThatAStageDoesNotHoldIsSentAtOnce(t *testing.T) {
	st := script{follow: true, steps: "7 H 2;7 E o 0;8 E o 0;"}.stage(t)
	read, e := followedThrough(t, chain.Link{Stage: st, Mode: chain.Enforce}, newConversation(t), "one", " or", " two")
	require.Nil(t, e)
	assert.Equal(t, []string{"0", "0ne ", "0ne 0r t", "0ne 0r tw0", "0ne 0r tw0"}, read)
}

func TestAStageEndsAStreamThatHasBegun(t *testing.T) {
	st := script{follow: true, steps: "8 d too_late no;"}.stage(t)
	read, e := followedThrough(t, chain.Link{Stage: st, Mode: chain.Enforce}, newConversation(t), "some", "thing")
	require.NotNil(t, e)
	assert.Equal(t, "too_late", e.Code)
	assert.Equal(t, []string{"some", "something"}, read)
}

func TestAStageThatFailsInAStreamBlocksUnlessTheLinkSaysOtherwise(t *testing.T) {
	for _, rule := range []chain.OnFault{chain.FaultBlocks, chain.FaultPasses} {
		x := newConversation(t)
		st := script{follow: true, steps: "8 z;7 H 2;7 E o 0;"}.stage(t)
		read, e := followedThrough(t, chain.Link{Stage: st, Mode: chain.Enforce, OnFault: rule}, x, "one", " two")
		if rule == chain.FaultBlocks {
			require.NotNil(t, e)
			assert.Equal(t, core.CodeGuardUnavailable, e.Code)
			assert.Equal(t, []string{"0", "0ne t"}, read)
		} else {
			require.Nil(t, e)
			assert.Equal(t, "0ne two", read[len(read)-1], "held text passes")
		}
		assert.Equal(t, core.FaultTrap, x.Visits[len(x.Visits)-1].Fault)
	}
}

func TestAnAnswerAboveTheLimitOfStreamsIsRefusedBeforeItIsSent(t *testing.T) {
	st := script{follow: true, limits: Limits{Streams: 1}}.stage(t)
	f := must(st.Stream(context.Background(), newConversation(t), nil))
	x := newConversation(t)
	_, e := followedThrough(t, chain.Link{Stage: st, Mode: chain.Enforce}, x, "text")
	require.NotNil(t, e)
	assert.Equal(t, 503, e.HTTPStatus())
	require.NoError(t, f.Close(context.Background()))
}

func TestAStageInShadowChangesNothingOfAStreamAndIsHeard(t *testing.T) {
	st := script{follow: true, steps: "7 H 2;7 E o 0;7 a odd;8 d no no;"}.stage(t)
	x := newConversation(t)
	read, e := followedThrough(t, chain.Link{Stage: st, Mode: chain.Shadow}, x, "one", " two")
	require.Nil(t, e)
	assert.Equal(t, []string{"one", "one two", "one two", "one two"}, read)
	last := x.Visits[len(x.Visits)-1]
	assert.True(t, last.Shadow)
	assert.Equal(t, core.Block, last.Action, "it would have ended the answer")
	assert.NotEmpty(t, x.Findings)
}
