package replay

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/stages/pii"
)

// word is a stage that finds a word, and acts on it.
type word struct {
	word string
	do   core.Action
}

func (w word) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (v core.Verdict, err error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	v.Action = core.Pass
	for i := range body.Segments {
		at := strings.Index(body.ReadText(i), w.word)
		if at < 0 {
			continue
		}
		v.Findings = append(v.Findings, core.Finding{Label: w.word, Segment: i, Start: at, End: at + len(w.word)})
		switch w.do {
		case core.Block:
			v.Action, v.Err = core.Block, &core.Error{Kind: core.Forbidden, Code: "word"}
		case core.Rewrite:
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(w.word), With: "…"})
		}
	}
	return v, nil
}

func player(t *testing.T, stages ...word) *Player {
	var links []chain.Link
	for _, s := range stages {
		links = append(
			links,
			chain.Link{Name: "find-" + s.word, Stage: s, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce},
		)
	}
	c, err := chain.New(links, Tokens{Key: []byte("k")})
	require.NoError(t, err)
	return &Player{Chain: c, Clock: new(Clock)}
}

func record(id, text, answer string) *capture.Record {
	r := &capture.Record{
		ID: id, At: time.Date(2026, 11, 21, 9, 0, len(id), 0, time.UTC), Dialect: "openai.chat", Outcome: "served", Status: 200,
		Principal: core.Principal{Tenant: "acme"}, Target: core.TargetRef{Provider: "mock", Model: "m"},
		Request: []byte(`{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`),
	}
	if answer != "" {
		r.Response = []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"` + answer + `"},"finish_reason":"stop"}]}`)
	}
	return r
}

func TestAReportSaysWhatWouldHaveChanged(t *testing.T) {
	a, b := player(t, word{"red", core.Rewrite}), player(t, word{"red", core.Pass}, word{"blue", core.Block})
	p := NewReport(2)
	unshaped := record("unknown", "x", "")
	unshaped.Dialect = "other"
	left := record("left", "x", "")
	left.Left = capture.LeftSize
	for _, r := range []*capture.Record{
		record("plain", "hello", "world"), record("red", "a red word", "none"), record("blue", "a blue word", "none"),
		record("answer", "hello", "something blue"), unshaped, left,
	} {
		x, y := a.Play(context.Background(), r), b.Play(context.Background(), r)
		p.Add(r, &x, &y)
	}
	p.Close()
	var out strings.Builder
	require.NoError(t, p.Print(&out))
	assert.Equal(t, `6 exchanges, received from 2026-11-21T09:00:05Z to 2026-11-21T09:00:04Z; 4 replayed, 3 would have changed
  1 not replayed: the bodies were not kept: too large
  1 not replayed: the shape cannot be replayed: other

recorded   served 4
in force   forwarded 4
candidate  blocked 2, forwarded 2

by stage     exchanges
  find-blue  2
  find-red   1

by rule            exchanges
  find-blue: blue  2

by tenant  exchanges
  acme     3

change          stage      rule  in force           candidate                    exchanges  for example
  decision      find-blue  blue  forwarded          blocked by find-blue (word)  2          blue answer
  finding       find-blue  blue  0 in the request   1 in the request             1          blue
  finding       find-blue  blue  0 in the response  1 in the response            1          answer
  request_text  find-red         sent as before     sent otherwise               1          red
`, out.String())
	_, err := json.Marshal(p)
	require.NoError(t, err)
}

func TestAChainComparedWithItselfChangesNothing(t *testing.T) {
	a, b := player(t, word{"red", core.Rewrite}, word{"blue", core.Block}), player(t, word{"red", core.Rewrite}, word{"blue", core.Block})
	for _, r := range []*capture.Record{record("a", "red and blue", "red"), record("b", "red", "red blue"), record("c", "", "")} {
		x, y := a.Play(context.Background(), r), b.Play(context.Background(), r)
		assert.Empty(t, Compare(&x, &y))
		assert.NotEqual(t, Skipped, x.Kind)
	}
}

func TestHeadersAloneAreToldAndChangeNothing(t *testing.T) {
	p := NewReport(1)
	p.Add(record("a", "x", ""), &Outcome{Kind: Forwarded}, &Outcome{Kind: Forwarded, Header: []string{"X-Left"}})
	p.Close()
	assert.Zero(t, p.Changed)
	assert.Empty(t, p.Tenants)
	require.Len(t, p.Changes, 1)
	assert.Equal(t, Change{What: "header", From: "none", To: "X-Left"}, p.Changes[0].Change)
}

func TestHowAStreamIsCutIsNoChange(t *testing.T) {
	chunk := func(text string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
	}
	one := hashTexts(openai.Chat{}, []byte(chunk("hello there")))
	assert.Equal(t, one, hashTexts(openai.Chat{}, []byte(chunk("hel")+chunk("")+chunk("lo there"))))
	assert.NotEqual(t, one, hashTexts(openai.Chat{}, []byte(chunk("hello here"))))
	assert.NotEqual(t, one, hashTexts(openai.Chat{}, []byte("data: x\n\n")))
}

func TestPlaceholdersOfARequestBecomeValuesThatAreFound(t *testing.T) {
	x := record("a", "to {{PII_EMAIL_0123456789abcdef}}, {{PII_UNHEARD_OF_0123456789abcdef}}", "").Exchange()
	addStandIns(x)
	assert.Equal(
		t,
		`{"model":"m","messages":[{"role":"user","content":"to jane.doe@example.com, {{PII_UNHEARD_OF_0123456789abcdef}}"}]}`,
		string(x.Request.Raw),
	)
	for typ, v := range standIn {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		assert.Equal(t, `"`+v+`"`, string(b), "%s needs no escape", typ)
	}
}

func TestEachStandInIsFoundAsItsType(t *testing.T) {
	for typ, v := range standIn {
		e, err := pii.NewEngine(pii.Options{Types: []string{typ}})
		require.NoError(t, err, typ)
		about := map[string]string{"PHONE": "call "}[typ]
		got := e.Detect(nil, about+v+" ")
		require.Len(t, got, 1, typ)
		assert.Equal(t, typ, got[0].Type, typ)
	}
}

func TestTheTimeIsThatOfTheRecord(t *testing.T) {
	p := player(t)
	r := record("a", "x", "")
	p.Play(context.Background(), r)
	assert.Equal(t, r.At, p.Clock.Now())
}
