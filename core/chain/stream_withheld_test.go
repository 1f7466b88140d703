package chain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// atEnd is a filter that holds each text until it is whole, and sets a header then.
type atEnd struct{ withholds bool }

func (f atEnd) Withholds() bool { return f.withholds }

func (atEnd) Close(context.Context) error { return nil }

func (atEnd) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	if !w.Last {
		return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent, nil
	}
	return core.Verdict{
		Action: core.Rewrite, Edits: []core.Edit{{Start: w.Sent, End: w.Sent, With: "<"}, {Start: len(w.Text), End: len(w.Text), With: ">"}},
		Header: []core.Field{{Name: "X-Whole", Value: "yes"}},
	}, 0, nil
}

func withheld(t *testing.T, mode chain.Mode, withholds bool, size int) *sent {
	t.Helper()
	st := &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return atEnd{withholds}, nil }}
	c, err := chain.New([]chain.Link{{Name: "whole", Stage: st, Phases: core.NewPhaseSet(core.Response), Mode: mode}}, nil)
	require.NoError(t, err)
	return stream(t, c, chunks(strings.Repeat("a", size/2), strings.Repeat("b", size/2)))
}

func TestALinkThatHasTheAnswerWaitMayHoldAWholeTextOfIt(t *testing.T) {
	r := withheld(t, chain.Enforce, true, 1<<20)
	require.Nil(t, r.err)
	text := r.parts["0.content"]
	assert.Len(t, text, 1<<20+2)
	assert.Equal(t, "<a", text[:2])
	assert.Equal(t, "b>", text[len(text)-2:])
	assert.Equal(t, []core.Field{{Name: "X-Whole", Value: "yes"}}, r.x.Header)

	r = withheld(t, chain.Enforce, false, 1<<20)
	require.NotNil(t, r.err, "one that does not may hold less")
	assert.Equal(t, core.CodeGuardUnavailable, r.err.Code)
	r = withheld(t, chain.Enforce, true, 20<<20)
	require.NotNil(t, r.err, "there is a bound all the same")
}

func TestALinkInShadowSetsNoHeaderOnAStream(t *testing.T) {
	r := withheld(t, chain.Shadow, true, 100)
	require.Nil(t, r.err)
	assert.Len(t, r.parts["0.content"], 100)
	assert.Empty(t, r.x.Header)
}
