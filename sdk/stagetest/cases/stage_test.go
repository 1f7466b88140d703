package cases

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/llm"
)

// words is a stage that does what a word in the text says.
type words struct {
	short bool // its streams do not hold a word's beginning back
	deps  Given
}

func (s words) Check(ctx context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	v := core.Verdict{Action: core.Pass}
	for i := range body.Segments {
		text := body.ReadText(i)
		err := s.look(ctx, x, &v, i, text, 0, len(text))
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

var errWord = errors.New("the word asked for it")

func (s words) look(ctx context.Context, x *core.Exchange, v *core.Verdict, segment int, text string, from, to int) error {
	refusal := &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "not that word"}
	for at := from; at < to; at++ {
		switch rest := text[at:to]; {
		case strings.HasPrefix(rest, "SECRET"):
			v.Action = core.Rewrite
			v.Findings = append(v.Findings, core.Finding{Label: "secret", Segment: segment, Start: at, End: at + 6, Score: 0.5})
			v.Edits = append(v.Edits, core.Edit{Segment: segment, Start: at, End: at + 6, Type: "SECRET"})
		case strings.HasPrefix(rest, "BLOCK"):
			*v = core.Verdict{Action: core.Block, Err: refusal, Findings: v.Findings}
			return nil
		case strings.HasPrefix(rest, "ANSWER"):
			*v = core.Verdict{Action: core.Answer, Reply: &core.Payload{Status: 200, Raw: []byte(`{"said":"me"}`)}}
			return nil
		case strings.HasPrefix(rest, "AGAIN"):
			*v = core.Verdict{
				Action: core.Retry,
				Err:    refusal,
				Append: []llm.Message{{Role: llm.User, Parts: []llm.Part{{Kind: llm.TextPart, Text: "again"}}}},
			}
			return nil
		case strings.HasPrefix(rest, "HEADER"):
			v.Header = append(
				v.Header,
				core.Field{
					Name: "X-Who",
					Value: x.Principal.Tenant + " " + x.Principal.KeyName + " " + x.Head.User + " " + x.Request.Header.Get(
						"X-In",
					) + " " + x.Target.Provider,
				},
			)
		case strings.HasPrefix(rest, "PATCH"):
			v.Action, v.Patch = core.Rewrite, core.Patch{Model: "other", MaxTokens: 7}
		case strings.HasPrefix(rest, "ERROR"):
			return errWord
		case strings.HasPrefix(rest, "PANIC"):
			panic("at the word")
		case strings.HasPrefix(rest, "TIME"):
			v.Header = append(v.Header, core.Field{Name: "X-Time", Value: s.deps.Now().Format("15:04:05")})
		case strings.HasPrefix(rest, "COUNT"):
			limits := []core.Limit{{Kind: core.Spend, Key: "n", Cost: 1, Max: 2, Ends: s.deps.Now().Add(1e12)}}
			ok, err := s.deps.State.Take(ctx, limits)
			if err != nil {
				return err
			}
			if !ok {
				*v = core.Verdict{Action: core.Block, Err: refusal}
				return nil
			}
		}
	}
	return nil
}

func (s words) Stream(_ context.Context, x *core.Exchange, _ any) (core.StreamFilter, error) {
	return wordFilter{s, x}, nil
}

type wordFilter struct {
	words
	x *core.Exchange
}

func (f wordFilter) Check(ctx context.Context, w core.Window) (v core.Verdict, hold int, err error) {
	v.Action = core.Pass
	if !w.Last && !f.short {
		for n := min(5, len(w.Text)-w.Sent); n > 0 && hold == 0; n-- {
			for _, word := range []string{"SECRET", "BLOCK", "AGAIN", "ERROR"} {
				if strings.HasPrefix(word, w.Text[len(w.Text)-n:]) {
					hold = n
				}
			}
		}
	}
	err = f.look(ctx, f.x, &v, 0, w.Text, w.Sent, len(w.Text)-hold)
	return v, hold, err
}

func (wordFilter) Close(context.Context) error { return nil }

// wholeOnly is the same without streams.
type wholeOnly struct{ words }

func (wholeOnly) Stream() {}

// makeWords makes these stages by name.
func makeWords(_ context.Context, l *config.Link, _ string, d Given) (m Made, err error) {
	m.Link = chain.Link{Phases: core.NewPhaseSet(core.Request, core.Target, core.Response)}
	if l.OnFault == config.FaultPass {
		m.Link.OnFault = chain.FaultPasses
	}
	m.Labels = []string{"secret", "other"}
	switch l.Stage {
	case "words":
		m.Link.Stage = words{deps: d}
	case "short":
		m.Link.Stage = words{short: true, deps: d}
	case "whole":
		m.Link.Stage = wholeOnly{words{deps: d}}
	case "none":
	default:
		return m, errors.New("no such stage")
	}
	return m, nil
}

// tryCase runs one case and gives what is wrong with it.
func tryCase(t *testing.T, stage, given, expect string) Result {
	t.Helper()
	f, err := parseFile("f.cases.yaml", []byte(strings.Replace(formatCase(given, expect), "pii", stage, 1)), "")
	require.NoError(t, err)
	r, labels, err := (&Runner{Make: makeWords}).runCase(context.Background(), f.Cases[0])
	require.NoError(t, err)
	assert.Equal(t, []string{"secret", "other"}, labels)
	return r
}

func TestEveryExpectationCanHoldAndCanFail(t *testing.T) {
	secret, who := `{text: "a SECRET"}`, `{text: HEADER, tenant: acme, key: k, user: u, headers: {x-in: h}, target: {provider: p}}`
	for _, c := range []struct{ name, given, holds, fails, says string }{
		{"verdict", secret, "{verdict: rewrite}", "{verdict: pass}", "verdict: want pass, got rewrite"},
		{"labels", secret, "{labels: [secret]}", "{labels: [secret, secret]}", "labels: want [secret, secret], got [secret]"},
		{"no labels", secret, "{labels: [secret]}", "{labels: []}", "labels: want [], got [secret]"},
		{"spans", secret, "{spans: [{label: secret, start: 2, end: 8, text: SECRET, score: 0.5, kind: detector}]}", "{spans: []}", `+ secret 2..8 "SECRET", score 0.50, kind detector`},
		{"a span's place", secret, "{spans: [{label: secret}]}", "{spans: [{label: secret, start: 2, end: 7}]}", "- secret 2..7"},
		{"a span's score", secret, "{spans: [{label: secret, score: 0.4}]}", "{spans: [{label: secret, score: 0.6}]}", "- secret, score at least 0.6"},
		{"a span's kind", secret, "{spans: [{label: secret, kind: detector}]}", "{spans: [{label: secret, kind: pii}]}", "- secret, kind pii"},
		{"edits", secret, "{edits: [{start: 2, end: 8, type: SECRET}]}", "{edits: [{start: 2, end: 8, with: x}]}", `+ 2..8 <SECRET>`},
		{"an edit of any kind", secret, "{edits: [{start: 2, end: 8}]}", "{edits: []}", `+ 2..8 <SECRET>`},
		{"text", secret, `{text: "a <SECRET>"}`, `{text: "a SECRET"}`, `got  "a <SECRET>"`},
		{"texts", secret, `{texts: ["a <SECRET>"]}`, `{texts: [""]}`, "texts[0]"},
		{"raw", secret, `{raw: '"a <SECRET>"'}`, `{raw: ""}`, "raw:"},
		{"body", `{messages: [{role: user, content: SECRET}]}`, `{body: {messages: [{content: <SECRET>, role: user}], model: test-model}}`, `{body: {}}`, `+   "model": "test-model"`},
		{"code", "{text: BLOCK}", "{code: content_filter}", "{code: other}", "code: want other, got content_filter"},
		{"status", "{text: BLOCK}", "{status: 400}", "{status: 403}", "status: want 403, got 400"},
		{"message", "{text: BLOCK}", "{message: that word}", "{message: this}", `message: want words "this", got "not that word"`},
		{"a refusal that is none", "{text: BLOCK}", "{verdict: block}", "{verdict: pass}", "verdict: want pass, got block (content_filter)"},
		{"a code where nothing is refused", "{text: x}", "{verdict: pass}", "{code: x}", "it is not refused"},
		{"reply", "{text: ANSWER}", `{verdict: answer, reply: '{"said":"me"}'}`, `{reply: ""}`, "reply:"},
		{"retry", "{phase: response, text: AGAIN}", "{verdict: retry, retry: [{role: user, content: again}]}", "{retry: [{role: user, content: once}]}", "- user: once"},
		{"headers", who, "{headers: {X-Who: acme k u h p}}", "{headers: {}}", "+ X-Who: acme k u h p"},
		{"model", "{text: PATCH, model: m}", "{model: other, max_tokens: 7}", "{model: third}", "model: want third, got other"},
		{"max_tokens", "{text: PATCH, model: m}", "{max_tokens: 7}", "{max_tokens: 8}", "max_tokens: want 8, got 7"},
		{"fault", "{text: ERROR}", "{fault: error, verdict: block, code: guard_unavailable, status: 503}", "{fault: panic}", "fault: want panic, got error"},
		{"a panic", "{text: PANIC}", "{fault: panic}", "{verdict: block}", "the stage failed: panic"},
		{"an unexpected fault", "{text: ERROR}", "{fault: error}", "{labels: []}", "the stage failed: error: the word asked for it"},
		{"a fault that is none", "{text: x}", "{verdict: pass}", "{fault: timeout}", "fault: want timeout, got none: the verdict is pass"},
		{"an answer to a request's answer", "{phase: response, text: ANSWER, streamed: false}", "{fault: verdict}", "{verdict: pass}", "the stage failed: verdict"},
		{"target", "{phase: target, text: BLOCK}", "{verdict: block}", "{verdict: pass}", "verdict: want pass, got block"},
		{"target of a body", "{phase: target, messages: [{role: user, content: HEADER}]}", `{headers: {x-who: "default test   "}}`, "{verdict: block}", "want block, got pass"},
		{"stream", `{phase: response, text: "a SECRET b"}`, `{labels: [secret], text: "a <SECRET> b"}`, "{labels: []}", "labels: want [], got [secret]"},
		{"clock", "{text: TIME, after: 90s}", `{headers: {X-Time: "09:01:30"}}`, "{headers: {}}", "+ X-Time: 09:01:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := tryCase(t, "words", c.given, c.holds)
			assert.Empty(t, good.Faults)
			bad := tryCase(t, "words", c.given, c.fails)
			assert.Contains(t, strings.Join(bad.Faults, "\n"), c.says)
		})
	}
}

func TestAStageWhoseStreamsAreNotItsWholeAnswersIsCaught(t *testing.T) {
	for _, c := range []struct{ name, stage, given, expect, says string }{
		{"it holds too little back", "short", `{phase: response, text: "a SECRET"}`, `{text: "a <SECRET>"}`, "as a stream, cut in two behind character 3: labels: [secret] before, [] now"},
		{"a block comes too late or not at all", "short", `{phase: response, text: "a BLOCK"}`, "{verdict: block}", "verdict: block before, pass now"},
		{"it has no streams", "whole", `{phase: response, text: "a"}`, "{verdict: pass}", "as a stream, in one piece: fault: none before, error now: the stage cannot inspect streamed answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tryCase(t, c.stage, c.given, c.expect)
			assert.Contains(t, strings.Join(r.Faults, "\n"), c.says)
			assert.Empty(t, tryCase(t, "words", c.given, c.expect).Faults, "a stage that does it right passes")
		})
	}
	assert.Empty(t, tryCase(t, "whole", "{phase: response, text: a, streamed: false}", "{verdict: pass}").Faults)
	assert.Equal(t, 1+1+399+1+20, tryCase(t, "words", "{phase: response, text: "+strings.Repeat("é", 399)+"x}", "{labels: []}").Ways)
	assert.Equal(
		t,
		1+1+400+1+20,
		tryCase(t, "words", "{phase: response, text: "+strings.Repeat("e", 1200)+"x}", "{labels: []}").Ways,
		"a long text is cut at places that are spread over it",
	)
}

func TestStepsShareTheirStateAndCasesDoNot(t *testing.T) {
	step := "{given: {text: COUNT}, expect: {verdict: pass}}"
	full := "{given: {text: COUNT}, expect: {verdict: block}}"
	text := "link: {stage: words}\ncases:\n- {name: a, steps: [" + step + "," + step + "," + full + "]}\n- {name: b, steps: [" + step + "," + step + "," + step + "]}\n"
	f, err := parseFile("f.yaml", []byte(text), "")
	require.NoError(t, err)
	r := &Runner{Make: makeWords}
	a, _, err := r.runCase(context.Background(), f.Cases[0])
	require.NoError(t, err)
	assert.Empty(t, a.Faults)
	b, _, err := r.runCase(context.Background(), f.Cases[1])
	require.NoError(t, err)
	assert.Equal(t, []string{"step 3: verdict: want pass, got block (content_filter)"}, b.Faults)
}

func TestAFaultThatTheLinkPassesOverLeavesTheTextAsItWas(t *testing.T) {
	text := "link: {stage: words, on_fault: pass}\ncases: [{name: a, given: {phase: response, text: a ERROR}, expect: {fault: error, verdict: pass, text: a ERROR}}]\n"
	f, err := parseFile("f.yaml", []byte(text), "")
	require.NoError(t, err)
	r, _, err := (&Runner{Make: makeWords}).runCase(context.Background(), f.Cases[0])
	require.NoError(t, err)
	assert.Empty(t, r.Faults)
	assert.Greater(t, r.Ways, 1)
}

func TestAStageThatCannotBeMadeIsAnErrorWithTheCasesPlace(t *testing.T) {
	for stage, want := range map[string]string{"zzz": "f.cases.yaml:3:3: the stage cannot be created: no such stage", "none": "the link has no stage"} {
		f, err := parseFile("f.cases.yaml", []byte(strings.Replace(formatCase("{text: y}", "{spans: []}"), "pii", stage, 1)), "")
		require.NoError(t, err)
		_, _, err = (&Runner{Make: makeWords}).runCase(context.Background(), f.Cases[0])
		require.ErrorContains(t, err, want)
	}
}

func TestARefusalOfTheSettingsCanBeExpected(t *testing.T) {
	for text, want := range map[string][]string{
		"{stage: zzz}, refused: no such stage":  nil,
		"{stage: zzz}, refused: something else": {`refused: want words "something else", got "no such stage"`},
		"{stage: words}, refused: no":           {"refused: the stage takes its settings"},
	} {
		f, err := parseFile("f.yaml", []byte("link: {stage: words}\ncases: [{name: x, link: "+text+"}]\n"), "")
		require.NoError(t, err)
		r, _, err := (&Runner{Make: makeWords}).runCase(context.Background(), f.Cases[0])
		require.NoError(t, err)
		assert.Equal(t, want, r.Faults)
	}
}

func TestAPhaseThatIsNotReachedIsToldOf(t *testing.T) {
	for _, given := range []string{
		"{phase: target, messages: [{role: user, content: BLOCK}]}",
		"{phase: response, text: x, request: {model: m, messages: [{role: user, content: BLOCK}]}}",
	} {
		r := tryCase(t, "words", given, "{verdict: block}")
		assert.Equal(t, []string{"the request did not pass, so the phase that is tested is not reached: block: content_filter"}, r.Faults)
	}
}
