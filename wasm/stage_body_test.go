package wasm

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// newBodyManifest returns a manifest of a stage with the capability body.
func newBodyManifest() *Manifest {
	m := allManifest()
	m.Capabilities, m.Phases = append(m.Capabilities, abi.CapabilityBody), []string{"request", "target", "finish"}
	return m
}

func TestAStageThatReadsBodiesSeesAllTextsAndWithholdsNothing(t *testing.T) {
	require.NoError(t, newBodyManifest().Check())
	assert.True(t, newBodyManifest().PhaseSet().Has(core.Response), "the host shows it answers")
	for phase, says := range map[string]string{"response": "reads the answer in finish", "stream_end": "reads the answer in finish"} {
		m := newBodyManifest()
		m.Phases = append(m.Phases, phase)
		assert.ErrorContains(t, m.Check(), says)
	}
	m := newBodyManifest()
	m.Reads.Text = m.Reads.Text[1:]
	assert.ErrorContains(t, m.Check(), "must list all sources")
}

func TestABodyIsReadAsTheLinksBeforeHaveMadeItUnlessTextsAreHidden(t *testing.T) {
	x := newConversation(t)
	x.Request.Apply([]core.Edit{{Segment: 0, Start: 0, End: 0, With: "edited "}})
	see, err := buildView(newBodyManifest(), &foreign.Grant{})
	require.NoError(t, err)
	c := &talk{s: &FullStage{see: see}, x: x, body: &x.Request, phase: abi.PhaseRequest}
	body, ok := c.readWholeBody(nil)
	require.True(t, ok)
	assert.Contains(t, string(body), `"edited `)

	c.phase, c.body = abi.PhaseFinish, nil
	_, ok = c.readWholeBody(nil)
	assert.False(t, ok, "no answer was kept")
	see, err = buildView(newBodyManifest(), &foreign.Grant{Text: []string{"user"}})
	require.NoError(t, err)
	assert.False(t, see.seesAll())
}

func TestAnAnswerIsKeptWithinItsBound(t *testing.T) {
	v := script{manifest: newBodyManifest(), steps: "1 c;"}.load(t)
	defer v.Release(context.Background())
	build := func(o Options) Plugin {
		require.True(t, v.Acquire())
		o.Link, o.State = "link", noState{}
		p, err := NewPlugin(v, o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close(context.Background())) })
		return p
	}
	taps, ok := build(Options{}).(core.Tapper)
	require.True(t, ok)
	for _, o := range []Options{{Shadow: true}, {Candidate: true}} {
		_, ok = build(o).(core.Tapper)
		assert.False(t, ok, "its verdicts change nothing, so it keeps nothing: %+v", o)
	}
	tap, err := taps.Tap(context.Background(), nil, &exchangeState{})
	require.NoError(t, err)
	assert.Nil(t, tap, "it did not ask")
	for most, want := range map[int]string{8: "abcdefgh", 7: ""} {
		k := &exchangeState{answer: &keptAnswer{most: most, body: []byte("of an answer before")}}
		tap, err = taps.Tap(context.Background(), nil, k)
		require.NoError(t, err)
		for part := range strings.SplitSeq("abcd efgh", " ") {
			tap.AddEvent([]byte(part))
		}
		c := &talk{s: &FullStage{}, phase: abi.PhaseFinish, kept: k}
		body, ok := c.readWholeBody(nil)
		assert.Equal(t, want, string(body))
		assert.Equal(t, want != "", ok)

		x := &core.Exchange{Response: core.Payload{Raw: []byte("abcdefgh")}}
		require.NoError(t, k.storeAnswer(x))
		body, _ = c.readWholeBody(nil)
		assert.Equal(t, want, string(body))
	}
}
