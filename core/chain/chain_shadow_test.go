package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

func newShadowLink(name string, s core.Stage) chain.Link {
	l := link(name, s)
	l.Mode = chain.Shadow
	return l
}

func TestALinkInShadowSeesTheTextThatNobodyHasChanged(t *testing.T) {
	var saw, after []string
	c := newChain(t, nil,
		link("first", rewriting("hello", "goodbye")),
		newShadowLink("shadow", seeing(&saw)),
		link("second", rewriting("goodbye", "farewell")),
		link("last", seeing(&after)))
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, []string{"request:hello"}, saw)
	assert.Equal(t, []string{"request:farewell"}, after)
	assert.Contains(t, string(x.Request.Raw), "farewell")

	saw = nil
	setAnswer(t, x, helloAnswer)
	require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	assert.Equal(t, []string{"response:hello"}, saw, "the answer's own text, not the request's")
	assert.Contains(t, string(x.Response.Raw), "goodbye", "in reverse, the second link finds nothing to change")
}

func TestALinkInShadowIsRecordedAndChangesNothing(t *testing.T) {
	found := core.Finding{Label: "X", Start: 0, End: 5}
	for name, check := range map[string]func() (core.Verdict, error){
		"a block": func() (core.Verdict, error) {
			return core.Verdict{Action: core.Block, Findings: []core.Finding{found}, Err: &core.Error{Code: "no"}}, nil
		},
		"a rewrite": func() (core.Verdict, error) {
			return core.Verdict{
				Action: core.Rewrite, Findings: []core.Finding{found}, Edits: []core.Edit{{Start: 0, End: 5, Type: "EMAIL"}},
				Patch: core.Patch{Model: "other", MaxTokens: 1}, Header: []core.Field{{Name: "X", Value: "y"}},
			}, nil
		},
		"an answer": func() (core.Verdict, error) {
			return core.Verdict{Action: core.Answer, Findings: []core.Finding{found}, Reply: &core.Payload{}}, nil
		},
		"a fault": func() (core.Verdict, error) {
			return core.Verdict{Findings: []core.Finding{found}}, errors.New("broken")
		},
	} {
		t.Run(name, func(t *testing.T) {
			minted := vault{}
			c := newChain(
				t,
				minted,
				newShadowLink("shadow", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) { return check() }}),
			)
			x := newRequest(t, helloRequest)
			assert.Equal(t, chain.Decision{Action: core.Pass}, c.RunRequest(context.Background(), x))
			assert.Equal(t, helloRequest, string(x.Request.Raw))
			assert.Equal(t, "m", x.Model())
			assert.Zero(t, x.TokenCap())
			assert.Empty(t, x.Header)
			assert.Empty(t, minted, "a shadow mints nothing")
			require.Len(t, x.Visits, 1)
			assert.True(t, x.Visits[0].Shadow)
			require.Len(t, x.Findings, 1)
			assert.True(t, x.Findings[0].Shadow)
			assert.Equal(t, "shadow", x.Findings[0].Link)
		})
	}
}

func TestALinkInShadowIsAskedAlsoWhenTheRequestIsBlocked(t *testing.T) {
	var saw []string
	c := newChain(
		t,
		nil,
		newShadowLink("shadow", seeing(&saw)),
		link("no", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
			return core.Verdict{Action: core.Block, Err: &core.Error{Code: "no"}}, nil
		}}),
	)
	assert.Equal(t, core.Block, c.RunRequest(context.Background(), newRequest(t, helloRequest)).Action)
	assert.Equal(t, []string{"request:hello"}, saw)
}

func TestAStreamInShadowSeesTheTextAsItCameAndHoldsNothing(t *testing.T) {
	var saw string
	minted := vault{}
	c := newChain(t, minted, newShadowLink("shadow", &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) {
		return filterFunc(func(w core.Window) (core.Verdict, int, error) {
			saw += w.Text[w.New:]
			if w.Last {
				return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: w.Sent, End: len(w.Text), Type: "EMAIL"}}}, 0, nil
			}
			return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent, nil // it would hold everything
		}), nil
	}}), link("upper", &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return filterFunc(upper), nil }}))
	r := stream(t, c, chunks("he", "llo"))
	require.Nil(t, r.err)
	assert.Equal(t, "hello", saw)
	assert.Equal(t, []string{"HE", "HELLO"}, r.texts[:2], "each piece leaves when it comes")
	assert.Empty(t, minted)
}

func TestTheOriginalIsReleasedOnceLinksInShadowHaveSeenIt(t *testing.T) {
	long := strings.Repeat("words ", 8000)
	raw := []byte(`{"model":"m","messages":[{"role":"user","content":"` + long + `"}]}`)
	seen := ""
	watch := newShadowLink("watch", &guard{check: func(x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
		seen = strings.Clone(x.Request.ReadText(0))
		return core.Verdict{Action: core.Pass}, nil
	}})
	c := newChain(t, nil, link("edit", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: 0, End: 5, With: "other"}}}, nil
	}}), watch)
	x := new(core.Exchange)
	x.Request.Raw = raw
	require.Nil(t, openai.Chat{}.Scan(x))
	require.Equal(t, core.Pass, c.RunRequest(t.Context(), x).Action)
	require.Equal(t, long, seen)
	require.True(t, c.Compact(x), "nothing refers to the body as it was received")
	clear(raw) // another exchange uses it now
	assert.Equal(t, "m", x.Head.Model)
	assert.Equal(t, "other"+long[5:], x.Request.ReadText(0))
}

func TestAWatcherSeesWhatALinkInShadowSaysOfTheOriginal(t *testing.T) {
	var seen []string
	watched := newShadowLink("shadow", finding("hello", ""))
	watched.Watch = func(x *core.Exchange, p core.Phase, body *core.Payload, v *core.Verdict) {
		f := v.Findings[0]
		seen = append(seen, p.String()+":"+f.Label+":"+body.ReadText(f.Segment)[f.Start:f.End])
	}
	c := newChain(t, nil, link("first", rewriting("hello", "goodbye")), watched)
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, []string{"request:hello:hello"}, seen)
}
