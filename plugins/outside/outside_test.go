package outside

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// texts have names at the edges of windows, on both sides of placeholders, and in characters of two and four bytes.
var texts = []string{
	"PROJECT-APOLLO",
	"ask PROJECT-APOLLO and PROJECT-GEMINI.",
	"nothing",
	strings.Repeat("x", 390) + " PROJECT-APOLLO " + strings.Repeat("y", 500),
	strings.Repeat("é", 299) + "PROJECT-GEMINI" + strings.Repeat("😀", 400),
}

func TestEachVendorIsTested(t *testing.T) {
	var tested []string
	for _, f := range fakes {
		tested = append(tested, f.vendor)
	}
	assert.ElementsMatch(t, ListVendors(), tested)
}

func TestGuardsOfVendorsConformToTheContractOfStages(t *testing.T) {
	for _, f := range fakes {
		actions := []remote.Action{remote.Flag, remote.Block}
		if f.canTellPlaces {
			actions = append(actions, remote.Redact)
		}
		for _, action := range actions {
			t.Run(f.vendor+" "+string(action), func(t *testing.T) {
				stagetest.Conform(t, stagetest.Suite{
					New: func(t testing.TB) core.Stage {
						return serve(t, f).link(t, func(o *Options) { o.Settings.Action = action })
					},
					Texts: texts, Phases: []core.Phase{core.Request, core.Target, core.Response},
				})
			})
		}
	}
}

func TestFindingsHaveThePlaceTheLabelAndTheScoreOfTheVendor(t *testing.T) {
	const text = "é: PROJECT-APOLLO?"
	for vendor, want := range map[string]core.Finding{
		"presidio":             {Label: "project_name", Start: 4, End: 18, Score: 0.85},
		"classifier":           {Label: "injection", End: 19, Score: 0.98},
		"moderations":          {Label: "illicit_violent", End: 19, Score: 0.9},
		"lakera":               {Label: "prompt_attack", End: 19, Score: 1},
		"azure_prompt_shields": {Label: "prompt_attack", End: 19, Score: 1},
		"azure_text_analysis":  {Label: "selfharm", End: 19, Score: 4. / 6},
		"bedrock_guardrail":    {Label: "project", Start: 4, End: 18, Score: 1},
		"judge":                {Label: "s9", End: 19, Score: 1},
		"model_armor":          {Label: "pi_and_jailbreak", End: 19, Score: 1},
	} {
		t.Run(vendor, func(t *testing.T) {
			st := serve(t, fakeOf(vendor)).link(t, func(o *Options) { o.Settings.Action = remote.Flag })
			v, err := ask(st, text)
			require.NoError(t, err)
			assert.Equal(t, core.Pass, v.Action)
			require.Len(t, v.Findings, 1)
			assert.Equal(t, want, v.Findings[0])
			v, err = ask(st, "nothing")
			require.NoError(t, err)
			assert.Empty(t, v.Findings)
		})
	}
}

func fakeOf(vendor string) fake {
	for _, f := range fakes {
		if f.vendor == vendor {
			return f
		}
	}
	return fake{}
}

func TestAGuardThatFailsIsAFaultOfItsLink(t *testing.T) {
	const canary = "never-shown"
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   core.Fault
		reason string
	}{
		"too slow": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the caller has left
			<-r.Context().Done()
		}, core.FaultTimeout, "did not answer within"},
		"limited":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusTooManyRequests) }, core.FaultOverload, "429"},
		"refused":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusUnauthorized) }, core.FaultError, "API key"},
		"broken":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusInternalServerError) }, core.FaultError, "status 500"},
		"moved":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/"+canary, http.StatusFound) }, core.FaultError, "status 302"},
		"a page":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>" + canary)) }, core.FaultVerdict, "form"},
		"no JSON":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"` + canary)) }, core.FaultVerdict, "form"},
		"empty":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }, core.FaultVerdict, "form"},
		"a number": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`1`)) }, core.FaultVerdict, "form"},
		"a nested list": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[[[{"label":"x"}]]]`)) }, core.FaultVerdict, "form",
		},
		"too much": {
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(strings.Repeat(" ", maxReply+1) + "[]"))
			},
			core.FaultABI, "larger",
		},
		"gone": {func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		}, core.FaultError, "connection broke"},
	} {
		for _, f := range fakes {
			t.Run(f.vendor+" "+name, func(t *testing.T) {
				srv := httptest.NewServer(c.answer)
				defer srv.Close()
				st := (&served{Server: srv, fake: f}).link(t, func(o *Options) {
					if name == "too slow" {
						o.Timeout = 50 * time.Millisecond
					}
				})
				_, err := ask(st, "some text "+canary)
				var e *remote.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, c.kind, e.Fault(), err)
				assert.ErrorContains(t, err, c.reason)
				assert.NotContains(t, err.Error(), canary)
				assert.NotContains(t, err.Error(), secret)
				assert.NotContains(t, err.Error(), "127.0.0.1")
			})
		}
	}
}

func TestAGuardThatNobodyServesIsAFault(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	srv.Close()
	for _, f := range fakes {
		st, err := New(callAt(f, url))
		require.NoError(t, err)
		_, err = ask(st, "x")
		require.ErrorContains(t, err, "refuses connections", f.vendor)
	}
}

func TestAPlaceOutsideOfItsTextIsNoVerdict(t *testing.T) {
	for _, reply := range []string{
		`[{"entity_type":"A","start":-1,"end":2,"score":1}]`, `[{"entity_type":"A","start":0,"end":9,"score":1}]`,
		`[{"entity_type":"A","start":2,"end":2,"score":1}]`, `[{"entity_type":"A","end":2,"score":1}]`, `[{"start":0,"end":2,"score":1}]`,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
		_, err := ask((&served{Server: srv, fake: fakeOf("presidio")}).link(t), "éé")
		assert.ErrorContains(t, err, "form", reply)
		srv.Close()
	}
}

func TestLongTextsAreCutIntoWhatTheVendorTakes(t *testing.T) {
	for _, f := range fakes {
		s := serve(t, f)
		v, err := ask(s.link(t, func(o *Options) { o.Settings.Action = remote.Flag }), strings.Repeat("word ", 20_000)+"PROJECT-APOLLO")
		require.NoError(t, err)
		assert.NotEmpty(t, v.Findings, f.vendor)
		for _, body := range s.bodies {
			assert.LessOrEqual(t, longest(body), vendors[f.vendor].window, f.vendor)
		}
	}
}

// longest is the length of the longest string in a body, in characters.
func longest(v any) (n int) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		for _, e := range v {
			n = max(n, longest(e))
		}
	case map[string]any:
		for _, e := range v {
			n = max(n, longest(e))
		}
	}
	return n
}

func TestRequestsAndAnswersAreAskedAboutAsSuch(t *testing.T) {
	s := serve(t, fakeOf("model_armor"))
	st := s.link(t)
	answer := stagetest.Text{Text: "hello"}.Exchange()
	answer.Response = answer.Request
	for _, p := range []core.Phase{core.Request, core.Response} {
		_, err := st.Check(context.Background(), answer, p, nil)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{s.path + ":sanitizeUserPrompt", s.path + ":sanitizeModelResponse"}, s.paths)

	s = serve(t, fakeOf("bedrock_guardrail"))
	st = s.link(t)
	for _, p := range []core.Phase{core.Request, core.Response} {
		_, err := st.Check(context.Background(), answer, p, nil)
		require.NoError(t, err)
	}
	assert.Equal(t, "INPUT", s.bodies[0]["source"])
	assert.Equal(t, "OUTPUT", s.bodies[1]["source"])
}

func TestManyTextsAreAskedAboutInTheTimeOfFew(t *testing.T) {
	var calls, now, most atomic.Int64
	second := make(chan struct{})
	f := fakeOf("lakera")
	answer := f.answer
	f.answer = func(in map[string]any) any {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		switch calls.Add(1) {
		case 1:
			<-second // sequential calls would never end
		case 2:
			close(second)
		}
		return answer(in)
	}
	s := serve(t, f)
	v, err := ask(s.link(t, func(o *Options) { o.Settings.RequestWindow = 250 }), strings.Repeat("word ", 5_000)+"PROJECT-APOLLO")
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
	assert.Greater(t, most.Load(), int64(1))
	assert.LessOrEqual(t, most.Load(), int64(callsAtOnce))
}

func TestWhatAVendorObjectsToIsAFindingInEveryForm(t *testing.T) {
	for name, c := range map[string]struct{ vendor, reply string }{
		"flagged without a category":       {"moderations", `{"results":[{"flagged":true,"categories":{},"category_scores":{}}]}`},
		"a category alone":                 {"moderations", `{"results":[{"flagged":true,"categories":{"hate":true}}]}`},
		"flagged without a breakdown":      {"lakera", `{"flagged":true}`},
		"a match of some filters":          {"model_armor", `{"sanitizationResult":{"filterMatchState":"MATCH_FOUND","invocationResult":"PARTIAL","filterResults":{}}}`},
		"a list of one list":               {"classifier", `[[{"label":"INJECTION","score":0.9}]]`},
		"intervention without assessments": {"bedrock_guardrail", `{"action":"GUARDRAIL_INTERVENED"}`},
		"grounding": {
			"bedrock_guardrail",
			`{"action":"GUARDRAIL_INTERVENED","assessments":[{"contextualGroundingPolicy":{"filters":[{"type":"GROUNDING","action":"BLOCKED"}]}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.reply)) }))
			defer srv.Close()
			v, err := ask((&served{Server: srv, fake: fakeOf(c.vendor)}).link(t), "some text")
			require.NoError(t, err)
			assert.Equal(t, core.Block, v.Action)
		})
	}
}

func TestWhatHasNoPlaceIsRefusedWherePlacesAreTakenOut(t *testing.T) {
	const reply = `{"action":"GUARDRAIL_INTERVENED","assessments":[{"topicPolicy":{"topics":[{"name":"law","type":"DENY","action":"BLOCKED"}]}}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
	defer srv.Close()
	st := (&served{Server: srv, fake: fakeOf("bedrock_guardrail")}).link(t, func(o *Options) { o.Settings.Action = remote.Redact })
	v, err := ask(st, strings.Repeat("é", 20_000))
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
}

func TestAMatchThatIsListedManyTimesIsFoundOncePerPlace(t *testing.T) {
	st := serve(t, fakeOf("bedrock_guardrail")).link(t, func(o *Options) { o.Settings.Action = remote.Flag })
	v, err := ask(st, strings.Repeat("PROJECT-APOLLO ", 60))
	require.NoError(t, err)
	assert.Len(t, v.Findings, 60)
}

func TestWrongSettingsAreNamed(t *testing.T) {
	half := 0.5
	for want, o := range map[string]Options{
		`guard: unknown guard "nemesis"`:      {Vendor: "nemesis"},
		"url: is empty":                       {Vendor: "presidio"},
		"url: is plain http":                  {Vendor: "presidio", Settings: Settings{URL: "http://guard.example.com"}},
		"secret: is empty":                    {Vendor: "lakera"},
		"language: lakera has no such":        {Vendor: "lakera", Secret: secret, Settings: Settings{Language: "en"}},
		"threshold: model_armor has no":       {Vendor: "model_armor", Secret: secret, Settings: Settings{Threshold: &half}},
		"action: lakera does not report":      {Vendor: "lakera", Secret: secret, Settings: Settings{Action: remote.Redact}},
		"overlap: 100 is more than half":      {Vendor: "lakera", Secret: secret, Settings: Settings{RequestWindow: 150, Overlap: 100}},
		"model: is empty; write the name":     {Vendor: Judge},
		"template: is empty; write one of":    {Vendor: Judge, Settings: Settings{Model: "guard"}},
		`template: unknown template "nemo"`:   {Vendor: Judge, Settings: Settings{Model: "guard", Template: "nemo"}},
		"url: a judge is a model of this":     {Vendor: Judge, Settings: Settings{Model: "guard", URL: "https://example.com"}},
		"secret: a judge is called with":      {Vendor: Judge, Secret: secret, Settings: Settings{Model: "guard"}},
		"policy: llama_guard has built-in":    {Vendor: Judge, Settings: Settings{Model: "guard", Template: "llama_guard", Policy: "x"}},
		"action: judge does not report where": {Vendor: Judge, Settings: Settings{Model: "guard", Template: "llama_guard", Action: remote.Redact}},
		"template: lakera has no such":        {Vendor: "lakera", Secret: secret, Settings: Settings{Template: "llama_guard"}},
		"ask_when: is not a condition":        {Vendor: "lakera", Secret: secret, Settings: Settings{AskWhen: "score < 0.2"}},
		"ask_when: the local score detects prompt injections and jailbreaks only, and llama_guard": {
			Vendor: Judge, Settings: Settings{Model: "guard", Template: "llama_guard", AskWhen: "score > 0.2"},
		},
		"ask_when: the local score detects prompt injections and jailbreaks only, and granite_guardian": {
			Vendor: Judge, Settings: Settings{Model: "guard", Template: "granite_guardian", AskWhen: "score > 0.2"},
		},
		"labels: shieldgemma answers Yes or No": {
			Vendor: Judge, Settings: Settings{Model: "guard", Template: "shieldgemma", Labels: []string{"violence"}},
		},
		"ask_when: the score is not":        {Vendor: "lakera", Secret: secret, Settings: Settings{AskWhen: "score > 2"}},
		"ask_when: there is no local guard": {Vendor: "lakera", Secret: secret, Settings: Settings{AskWhen: "score > 0.2"}},
		"price_per_call: is below 0":        {Vendor: "lakera", Secret: secret, Settings: Settings{PricePerCall: -1}},
		"price_per_call: a judge costs":     {Vendor: Judge, Settings: Settings{Model: "guard", Template: "llama_guard", PricePerCall: 1}},
		`action: unknown action "mask"`:     {Vendor: "lakera", Secret: secret, Settings: Settings{Action: "mask"}},
		"url: leads to an address that i":   {Vendor: "classifier", Settings: Settings{URL: "https://169.254.169.254/predict"}},
	} {
		_, err := New(o)
		assert.ErrorContains(t, err, want)
	}
}

func TestLabelsAreWrittenLikeThoseOfFindings(t *testing.T) {
	for in, want := range map[string]string{
		"PERSON": "person", "hate/threatening": "hate_threatening", "PROMPT-Injection": "prompt_injection", "1-a": "a", "": "finding", "日本": "finding",
		strings.Repeat("x", 100): strings.Repeat("x", 63),
	} {
		assert.Equal(t, want, convertLabel(in))
		assert.True(t, remote.IsLabel(convertLabel(in)))
	}
}
