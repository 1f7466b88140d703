package schema

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// person is a schema as written in a configuration file.
const person = `
schemas:
  - modelPattern: "gpt-*"
    routeId: people
    maxRetries: 2
    schema:
      type: object
      required: [name, age]
      additionalProperties: false
      properties:
        name: {type: string, minLength: 1}
        age: {type: integer, minimum: 0}
        kind: {enum: [a, b]}
`

func TestSettingsAreChecked(t *testing.T) {
	one := func(members string) string { return "schemas: [{modelPattern: x, " + members + "}]" }
	for _, c := range []struct{ name, config, says string }{
		{"nothing is needed", "{}", ""},
		{"all can be set", person + "    correctionPrompt: again\n    enabled: true\non_failure: pass\n", ""},
		{"an unknown key is an error", one("size: 1"), "size"},
		{"an unknown failure is an error", "on_failure: retry", `"retry"`},
		{"a schema that matches nothing is an error", "schemas: [{schema: {type: object}}]", "modelPattern or routeId"},
		{"a schema that is missing is an error", one("maxRetries: 1"), "schemas[0]: schema is missing"},
		{"too many retries are an error", one("schema: {type: object}, maxRetries: 11"), "maxRetries"},
		{"a negative number of retries is an error", one("schema: {type: object}, maxRetries: -1"), "maxRetries"},
		{"a schema that is none is an error", one("schema: {type: 5}"), "schema"},
		{"a pattern that cannot be read is an error", one(`schema: {pattern: "("}`), "schema"},
		{"a schema elsewhere is not fetched", one(`schema: {$ref: "http://127.0.0.1/x.json"}`), "$defs"},
		{"a schema in a file is not read", one(`schema: {$ref: "file:///etc/hostname"}`), "$defs"},
		{"a schema within is found", one(`schema: {$ref: "#/$defs/a", $defs: {a: {type: object}}}`), ""},
		{"an older draft is known", one(`schema: {$schema: "http://json-schema.org/draft-07/schema#", type: object}`), ""},
		{"one that is turned off is not compiled", one("schema: {type: 5}, enabled: false"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := New(block(c.config), nil)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, st)
		})
	}
	_, err := New(nil, nil)
	require.NoError(t, err, "a link without settings")
}

// bench passes answers through a chain of this stage only.
type bench struct {
	t     *testing.T
	chain *chain.Chain
}

func newBench(t *testing.T, config string) *bench {
	t.Helper()
	st, err := New(block(config), nil)
	require.NoError(t, err)
	c, err := chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	return &bench{t, c}
}

// open returns an exchange that waits for its answer.
func (b *bench) open(model, route string, streamed, tools bool) *core.Exchange {
	more := ""
	if streamed {
		more += `"stream":true,`
	}
	if tools {
		more += `"tools":[{"type":"function","function":{"name":"f"}}],`
	}
	x := &core.Exchange{Dialect: openai.ChatName, Principal: &core.Principal{Tenant: "t"}}
	x.Request.Raw = []byte(`{"model":"` + model + `",` + more + `"messages":[{"role":"user","content":"hi"}]}`)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	require.Equal(b.t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
	x.Target.Route = route
	return x
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// checkWhole checks an answer in one piece.
func (b *bench) checkWhole(x *core.Exchange, texts ...string) chain.Decision {
	var choices []string
	for _, s := range texts {
		choices = append(choices, `{"message":{"role":"assistant","content":`+quote(s)+`},"finish_reason":"stop"}`)
	}
	x.Response.Reset()
	x.Response.Raw = []byte(`{"choices":[` + strings.Join(choices, ",") + `]}`)
	require.NoError(b.t, openai.Chat{}.ScanResponse(x))
	return b.chain.RunResponse(context.Background(), x)
}

// stream checks an answer in pieces of n runes.
func (b *bench) stream(x *core.Exchange, n int, text string) chain.Decision {
	ctx := context.Background()
	s, e := b.chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
	defer s.Close(ctx)
	var events []string
	for rest := []rune(text); len(rest) > 0; {
		k := min(n, len(rest))
		events = append(events, `data: {"choices":[{"index":0,"delta":{"content":`+quote(string(rest[:k]))+`}}]}`+"\n\n")
		rest = rest[k:]
	}
	events = append(events, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n", "data: [DONE]\n\n")
	for _, raw := range events {
		ev := new(core.Event)
		ev.Reset([]byte(raw))
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		if _, e := s.RunEvent(ctx, ev, nil); e != nil {
			if d := s.RetryDecision(); d != nil {
				return *d
			}
			return chain.Decision{Action: core.Block, Err: e}
		}
	}
	return chain.Decision{Action: core.Pass}
}

var answers = []struct {
	name, text string
	tools      bool
	flaws      []string // nil if it passes
}{
	{"one that matches", `{"name":"Ann","age":5}`, false, nil},
	{"one with white space around", " \n{\"name\":\"Ann\",\"age\":5}\n", false, nil},
	{"one that is not JSON", `Here you are: {"name":"Ann","age":5}`, false, []string{"the answer is not one JSON document"}},
	{"one in a fence", "```json\n{\"name\":\"Ann\",\"age\":5}\n```", false, []string{"the answer is not one JSON document"}},
	{"two documents", `{"name":"Ann","age":5} {"name":"Bob","age":6}`, false, []string{"the answer is not one JSON document"}},
	{"half a document", `{"name":"Ann",`, false, []string{"the answer is not one JSON document"}},
	{"one of another type", `["Ann"]`, false, []string{"#/type: the value must be of type object"}},
	{"one that lacks something", `{"name":"Ann"}`, false, []string{"#/required: missing age"}},
	{
		"one with the wrong types",
		`{"name":5,"age":"5"}`,
		false,
		[]string{"#/properties/age/type: the value must be of type integer", "#/properties/name/type: the value must be of type string"},
	},
	{
		"one with too much",
		`{"name":"Ann","age":5,"secret@example.com":1}`,
		false,
		[]string{"#/additionalProperties: there is something that the schema does not allow"},
	},
	{
		"one outside a bound",
		`{"name":"","age":-1,"kind":"c"}`,
		false,
		[]string{"#/properties/age/minimum: not met", "#/properties/kind/enum: not met", "#/properties/name/minLength: not met"},
	},
	{"what comes before a call", `Let me look that up.`, true, nil},
	{"wrong JSON where tools are offered", `{"name":"Ann"}`, true, []string{"#/required: missing age"}},
	{"nothing", ``, false, nil},
}

func TestAnAnswerIsHeldAgainstItsSchema(t *testing.T) {
	for _, c := range answers {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, person)
			check := func(d chain.Decision, x *core.Exchange) {
				t.Helper()
				if c.flaws == nil {
					require.Equal(t, core.Pass, d.Action)
					assert.Empty(t, x.Findings)
					return
				}
				require.Equal(t, core.Retry, d.Action)
				require.Len(t, d.Append, 1)
				prompt := d.Append[0].Text()
				head, rest, ok := strings.Cut(prompt, "\n\nWhat is wrong:\n- ")
				require.True(t, ok)
				assert.Equal(t, DefaultPrompt, head)
				lines, schema, ok := strings.Cut(rest, "\n\nJSON Schema:\n")
				require.True(t, ok)
				assert.ElementsMatch(t, c.flaws, strings.Split(lines, "\n- "))
				assert.JSONEq(
					t,
					`{"type":"object","required":["name","age"],"additionalProperties":false,"properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer","minimum":0},"kind":{"enum":["a","b"]}}}`,
					schema,
				)
				assert.NotContains(t, prompt, "Ann", "nothing of the answer is repeated")
				assert.NotContains(t, prompt, "secret")
				require.Len(t, x.Findings, 1)
				assert.Equal(t, Invalid, x.Findings[0].Label)
			}
			x := b.open("gpt-x", "", false, c.tools)
			check(b.checkWhole(x, c.text), x)
			for _, n := range []int{1, 2, 7, 1000} {
				x = b.open("gpt-x", "", true, c.tools)
				check(b.stream(x, n, c.text), x)
			}
		})
	}
}

func TestEveryChoiceMustMatch(t *testing.T) {
	b := newBench(t, person)
	assert.Equal(t, core.Retry, b.checkWhole(b.open("gpt-x", "", false, false), `{"name":"a","age":1}`, `{}`).Action)
	assert.Equal(t, core.Pass, b.checkWhole(b.open("gpt-x", "", false, false), `{"name":"a","age":1}`, `{"name":"b","age":2}`).Action)
}

func TestASchemaIsFoundByModelOrRoute(t *testing.T) {
	b := newBench(t, person)
	for _, c := range []struct {
		model, route string
		want         core.Action
	}{{"gpt-x", "", core.Retry}, {"other", "people", core.Retry}, {"other", "", core.Pass}, {"other", "places", core.Pass}, {"GPT-x", "", core.Retry}} {
		assert.Equal(t, c.want, b.checkWhole(b.open(c.model, c.route, false, false), `no`).Action, "%v", c)
		assert.Equal(t, c.want, b.stream(b.open(c.model, c.route, true, false), 3, `no`).Action, "%v", c)
	}
	x := b.open("alias", "", false, false)
	x.OverrideModel("gpt-y")
	assert.Equal(t, core.Retry, b.checkWhole(x, `no`).Action, "the routed name counts too")

	first := newBench(
		t,
		"schemas: [{modelPattern: '*', schema: {type: string}, enabled: false}, {modelPattern: 'g*', schema: {type: number}}, {modelPattern: '*', schema: {type: string}}]",
	)
	assert.Equal(t, core.Pass, first.checkWhole(first.open("gpt", "", false, false), `5`).Action, "the first that is on")
	assert.Equal(t, core.Block, first.checkWhole(first.open("gpt", "", false, false), `"5"`).Action)
	assert.Equal(t, core.Pass, first.checkWhole(first.open("x", "", false, false), `"5"`).Action)
}

func TestTheModelIsAskedAgainSoManyTimes(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		b := newBench(t, person)
		x := b.open("gpt-x", "", streamed, false)
		ask := func() chain.Decision {
			if streamed {
				return b.stream(x, 3, `no`)
			}
			return b.checkWhole(x, `no`)
		}
		assert.Equal(t, core.Retry, ask().Action)
		assert.Equal(t, core.Retry, ask().Action)
		d := ask()
		require.Equal(t, core.Block, d.Action)
		assert.Equal(t, core.CodeOutputSchema, d.Err.Code)
		assert.Equal(t, 502, d.Err.HTTPStatus())
		assert.Equal(t, Name, d.Err.Link)
		assert.Contains(t, d.Err.Public, "3 answers")
	}
}

func TestWhatIsStillWrongMayPass(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		b := newBench(t, strings.Replace(person, "maxRetries: 2", "maxRetries: 0", 1)+"on_failure: pass\n")
		x := b.open("gpt-x", "", streamed, false)
		if streamed {
			assert.Equal(t, core.Pass, b.stream(x, 3, `no`).Action)
		} else {
			assert.Equal(t, core.Pass, b.checkWhole(x, `no`).Action)
		}
		require.Len(t, x.Findings, 1, "the finding is recorded")
	}
}

func TestTheOperatorsPromptIsUsed(t *testing.T) {
	b := newBench(t, person+"    correctionPrompt: Noch einmal, bitte.\n")
	d := b.checkWhole(b.open("gpt-x", "", false, false), `no`)
	require.Equal(t, core.Retry, d.Action)
	assert.True(t, strings.HasPrefix(d.Append[0].Text(), "Noch einmal, bitte.\n\nWhat is wrong:\n- "))
}

// FuzzAnyCutIsTheSame compares a streamed answer with the whole one.
func FuzzAnyCutIsTheSame(f *testing.F) {
	for _, a := range answers {
		f.Add(a.text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		if strings.ToValidUTF8(text, "") != text || n == 0 {
			return
		}
		b := newBench(t, person)
		want := b.checkWhole(b.open("gpt-x", "", false, false), text)
		got := b.stream(b.open("gpt-x", "", true, false), int(n), text)
		require.Equal(t, want.Action, got.Action)
		require.Equal(t, want.Append, got.Append)
	})
}

func BenchmarkCheck(b *testing.B) {
	st, err := New(block(person), nil)
	require.NoError(b, err)
	x := &core.Exchange{Dialect: openai.ChatName}
	x.Head.Model = "gpt-x"
	x.Response.Raw = []byte(
		`{"choices":[{"message":{"role":"assistant","content":` + quote(`{"name":"`+strings.Repeat("x", 900)+`","age":5}`) + `}}]}`,
	)
	require.NoError(b, openai.Chat{}.ScanResponse(x))
	b.ReportAllocs()
	for b.Loop() {
		if v, err := st.Check(context.Background(), x, core.Response, nil); err != nil || v.Action != core.Pass {
			b.Fatal(v.Action, err)
		}
	}
}
