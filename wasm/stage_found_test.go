package wasm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
)

// findInRequest adds what other links found to the conversation: a city that two texts share, a name of a link in shadow, and a label.
func findInRequest(x *core.Exchange) {
	x.Findings = append(
		x.Findings,
		core.Finding{Link: "pii", Label: "CITY", Phase: core.Request, Segment: 1, Start: 10, End: 15, Score: .5},
		core.Finding{Link: "pii", Label: "WORD", Phase: core.Request, Segment: 1, Start: 0, End: 7, Score: 1},
		core.Finding{Link: "pii", Label: "NAME", Phase: core.Request, Segment: 0, Start: 0, End: 2, Score: 1, Shadow: true},
		core.Finding{Link: "guard", Label: "prompt_injection", Phase: core.Request, Segment: 3, Start: 0, End: 2, Score: .75},
		core.Finding{Link: "pii", Label: "EMAIL", Phase: core.Response, Segment: 0, Start: 0, End: 2, Score: 1},
	)
}

// placesField is the number of the field places.
const placesField = "51"

// readPlaces returns the field places of a stage with a grant.
func readPlaces(t *testing.T, x *core.Exchange, g foreign.Grant) string {
	t.Helper()
	var lines []string
	_, err := script{steps: "1 f " + placesField + ";1 l;", options: Options{Grant: g}, log: logTo(&lines)}.stage(t).Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	return lines[0]
}

func TestAStageReadsWhereOtherLinksFoundValues(t *testing.T) {
	x := newConversation(t)
	findInRequest(x)
	assert.JSONEq(t, `[
		{"link": "pii", "type": "WORD", "kind": "pii", "score": 1, "seg": 1, "start": 0, "end": 7},
		{"link": "pii", "type": "CITY", "kind": "pii", "score": 0.5, "seg": 1, "start": 10, "end": 15},
		{"link": "guard", "type": "prompt_injection", "kind": "detector", "score": 0.75, "seg": 3, "start": 0, "end": 2}
	]`, readPlaces(t, x, foreign.Grant{}), "the joined texts are one, and shadow does not count")

	assert.JSONEq(t, `[{"link": "guard", "type": "prompt_injection", "kind": "detector", "score": 0.75, "seg": 0, "start": 0, "end": 2}]`,
		readPlaces(t, x, foreign.Grant{Text: []string{"tool_result"}}), "a text that is not granted has no places")
}

func TestAStageRedactsWhatOtherLinksFound(t *testing.T) {
	x := newConversation(t)
	findInRequest(x)
	d := newScriptChain(t, script{steps: "1 F 0;1 F 1;1 F 2;"}).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Equal(t, `["be brief","<WORD:Grüße>","aus<CITY: Köl>n","42"]`, string(x.Request.Raw))

	x = newConversation(t)
	findInRequest(x)
	assert.Equal(t, "0 0 -1 -1", saw(t, script{steps: "1 F 0;1 F 1;1 F 2;1 F 1;1 o;"}, x, core.Request),
		"a label that no placeholder can have stays, and what was taken out already is not taken out again")
}

func TestAPlaceThatTwoTextsShareGetsOnePlaceholder(t *testing.T) {
	x := newConversation(t)
	x.Findings = []core.Finding{{Link: "pii", Label: "PLACE", Phase: core.Request, Segment: 1, Start: 4, End: 10, Score: 1}}
	d := newScriptChain(t, script{steps: "1 F 0;"}).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Equal(t, `["be brief","Grü<PLACE:ßeaus>"," Köln","42"]`, string(x.Request.Raw))
}

func TestAStageThatNamesNoPlaceIsAtFaultAndOneWithoutTheGrantIsTold(t *testing.T) {
	x := newConversation(t)
	findInRequest(x)
	_, err := script{steps: "1 F 3;"}.stage(t).Check(context.Background(), x, core.Request, nil)
	require.ErrorContains(t, err, "it named a place that there is not")
	_, err = script{steps: "4 F 0;"}.stage(t).Stream(context.Background(), x, nil)
	require.NoError(t, err)
	s := script{steps: "1 F 0;1 o;", options: Options{Grant: foreign.Grant{Fields: []string{"model"}}}}
	assert.Equal(t, "-2", saw(t, s, x, core.Request))
	_, err = script{steps: "3 W;"}.stage(t).Check(context.Background(), x, core.Response, nil)
	require.ErrorContains(t, err, "it asked to withhold the answer when some of it may have been sent")
}

func TestAFollowerRedactsWhatOtherLinksFindInAStream(t *testing.T) {
	s := script{follow: true, steps: "7 F 0;7 f " + placesField + ";7 o;8 F 0;"}.stage(t)
	part := core.Part{Kind: core.KindText}
	found := func(start, end int) []core.Finding {
		return []core.Finding{{Link: "pii", Label: "WORD", Segment: -1, Start: start, End: end, Score: 1}}
	}
	for _, c := range []struct {
		name   string
		window core.Window
		edits  []core.Edit
		places string
	}{
		{
			"a value in the text",
			core.Window{Part: part, Text: "sent abc def", Sent: 5, New: 5, Found: found(9, 12)},
			[]core.Edit{{Start: 9, End: 12, Type: "WORD"}},
			`[{"link":"pii","type":"WORD","kind":"pii","score":1,"seg":0,"start":4,"end":7}]`,
		},
		{
			"one that goes on in text that has not come",
			core.Window{Part: part, Text: "sent abc def", Sent: 5, New: 5, Found: found(9, 14)},
			nil, `[{"link":"pii","type":"WORD","kind":"pii","score":1,"seg":0,"start":4,"end":7,"open":true}]`,
		},
		{
			"one whose text may become a placeholder",
			core.Window{Part: part, Text: "sent abc {{PII_W", Sent: 5, New: 5, Found: found(11, 16)},
			nil, `[{"link":"pii","type":"WORD","kind":"pii","score":1,"seg":0,"start":6,"end":11,"open":true}]`,
		},
		{
			"one that was found too late",
			core.Window{Part: part, Text: "sent abc", Sent: 5, New: 5, Found: found(5, 5)},
			nil, `[{"link":"pii","type":"WORD","kind":"pii","score":1,"seg":0,"start":0,"end":0,"late":true}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := s.Stream(context.Background(), newConversation(t), nil)
			require.NoError(t, err)
			defer func() { require.NoError(t, f.Close(context.Background())) }()
			v, _, err := f.Check(context.Background(), c.window)
			require.NoError(t, err)
			assert.Equal(t, c.edits, v.Edits)
			require.Len(t, v.Header, 1)
			assert.Contains(t, v.Header[0].Value, c.places)
		})
	}
}

func TestAStreamWaitsWhereAStageAsksForItOrWhereALinkFindsTooLate(t *testing.T) {
	for _, follow := range []bool{true, false} {
		m := allManifest()
		m.Streams = StreamsPass
		if follow {
			m.Streams = ""
		}
		s := script{follow: follow, steps: "1 W;", manifest: m}.stage(t)
		x := newConversation(t)
		v, err := s.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		for _, c := range []struct {
			kept any
			late bool
		}{{nil, false}, {v.Keep, false}, {nil, true}} {
			f, err := s.Stream(context.Background(), x, c.kept)
			require.NoError(t, err)
			f.(core.FindingsReader).Inform(c.late)
			assert.Equal(t, c.kept != nil || c.late, f.(core.Withholder).Withholds(), "%v, follow: %v", c, follow)
			require.NoError(t, f.Close(context.Background()))
		}
	}
}
