package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// everyTrait takes all that the shape can say.
var everyTrait = core.Traits{
	Model: "m", Label: "OpenAI", StreamUsage: true, Effort: true, Parallel: true, CustomTools: true, Strict: true, ResultImages: true,
	Count: true, Penalties: true, Seed: true, Logprobs: true, Verbosity: true, CacheKey: true,
}

func encodeRequest(t testing.TB, r *llm.Request, traits core.Traits) string {
	out, e := ChatWire{}.EncodeRequest([]byte("before"), r, traits)
	require.Nil(t, e, "%v", e)
	require.Equal(t, "before", string(out[:6]))
	require.True(t, json.Valid(out[6:]), "%s", out)
	return string(out[6:])
}

// newChatRequest is a request of one message and what set adds.
func newChatRequest(set func(r *llm.Request)) *llm.Request {
	r := &llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hi")}}}}
	set(r)
	return r
}

func TestEachTraitSaysWhetherAFieldIsSent(t *testing.T) {
	tool := []llm.Tool{{Name: "f"}}
	sent := `"tools":[{"type":"function","function":{"name":"f"}}]`
	for name, tc := range map[string]struct {
		set     func(r *llm.Request)
		trait   func(t *core.Traits, on bool)
		with    string // what is sent where the trait is set
		without string
		dropped string // what is dropped where it is not
	}{
		"effort":     {func(r *llm.Request) { r.Effort = llm.EffortHigh }, func(t *core.Traits, on bool) { t.Effort = on }, `"reasoning_effort":"high"`, "", "reasoning_effort"},
		"verbosity":  {func(r *llm.Request) { r.Verbosity = "low" }, func(t *core.Traits, on bool) { t.Verbosity = on }, `"verbosity":"low"`, "", "verbosity"},
		"cache key":  {func(r *llm.Request) { r.CacheKey = "k" }, func(t *core.Traits, on bool) { t.CacheKey = on }, `"prompt_cache_key":"k"`, "", "prompt_cache_key"},
		"seed":       {func(r *llm.Request) { r.Seed = "12345678901234567890" }, func(t *core.Traits, on bool) { t.Seed = on }, `"seed":12345678901234567890`, "", "seed"},
		"penalty":    {func(r *llm.Request) { r.FrequencyPenalty = "1.0" }, func(t *core.Traits, on bool) { t.Penalties = on }, `"frequency_penalty":1.0`, "", "frequency_penalty"},
		"presence":   {func(r *llm.Request) { r.PresencePenalty = "1" }, func(t *core.Traits, on bool) { t.Penalties = on }, `"presence_penalty":1`, "", "presence_penalty"},
		"logprobs":   {func(r *llm.Request) { r.Logprobs, r.TopLogprobs = true, "3" }, func(t *core.Traits, on bool) { t.Logprobs = on }, `"logprobs":true,"top_logprobs":3`, "", "logprobs"},
		"parallel":   {func(r *llm.Request) { r.Tools, r.Parallel = tool, ptr(false) }, func(t *core.Traits, on bool) { t.Parallel = on }, sent + `,"parallel_tool_calls":false`, sent, "parallel_tool_calls"},
		"strict":     {func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "f", Strict: ptr(true)}} }, func(t *core.Traits, on bool) { t.Strict = on }, `"tools":[{"type":"function","function":{"name":"f","strict":true}}]`, sent, "tools.function.strict"},
		"not strict": {func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "f", Strict: ptr(false)}} }, func(t *core.Traits, on bool) { t.Strict = on }, `"tools":[{"type":"function","function":{"name":"f","strict":false}}]`, sent, ""},
		"a strict schema": {
			func(r *llm.Request) { r.Format = &llm.Format{Schema: json.RawMessage(`{"a":1.0}`), Strict: ptr(true)} }, func(t *core.Traits, on bool) { t.Strict = on },
			`"response_format":{"type":"json_schema","json_schema":{"name":"response","schema":{"a":1.0},"strict":true}}`,
			`"response_format":{"type":"json_schema","json_schema":{"name":"response","schema":{"a":1.0}}}`, "response_format.json_schema.strict",
		},
		"one sampling":        {func(r *llm.Request) { r.Temperature, r.TopP = "0.1", "0.9" }, func(t *core.Traits, on bool) { t.OneSampling = !on }, `"temperature":0.1,"top_p":0.9`, `"temperature":0.1`, "top_p"},
		"one sampling, alone": {func(r *llm.Request) { r.TopP = "0.9" }, func(t *core.Traits, on bool) { t.OneSampling = !on }, `"top_p":0.9`, `"top_p":0.9`, ""},
		"stream usage":        {func(r *llm.Request) { r.Stream = true }, func(t *core.Traits, on bool) { t.StreamUsage = on }, `"stream":true,"stream_options":{"include_usage":true}`, `"stream":true`, ""},
		"limit":               {func(r *llm.Request) { r.MaxTokens = 5 }, func(t *core.Traits, on bool) { t.LimitField = map[bool]string{true: maxCompletionTokens}[on] }, `"max_completion_tokens":5`, `"max_tokens":5`, ""},
		"default cap":         {func(*llm.Request) {}, func(t *core.Traits, on bool) { t.DefaultCap = map[bool]int64{true: 9}[on] }, `"max_tokens":9`, "", ""},
		"cap":                 {func(r *llm.Request) { r.MaxTokens = 50 }, func(t *core.Traits, on bool) { t.Cap = map[bool]int64{true: 9}[on] }, `"max_tokens":9`, `"max_tokens":50`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, on := range []bool{true, false} {
				r, traits := newChatRequest(tc.set), everyTrait
				tc.trait(&traits, on)
				want := map[bool]string{true: tc.with, false: tc.without}[on]
				if want != "" {
					want = "," + want
				}
				assert.Equal(t, `{"model":"m","messages":[{"role":"user","content":"hi"}]`+want+`}`, encodeRequest(t, r, traits))
				if !on && tc.dropped != "" {
					assert.Equal(t, []string{tc.dropped}, r.Dropped)
				} else {
					assert.Empty(t, r.Dropped)
				}
			}
		})
	}
}

func TestWhatAProviderCannotBeAskedIsRefusedInItsName(t *testing.T) {
	for param, set := range map[string]func(r *llm.Request){
		"n":     func(r *llm.Request) { r.Count = 2 },
		"tools": func(r *llm.Request) { r.Tools = []llm.Tool{{Kind: llm.CustomTool, Name: "c"}} },
		"messages": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Kind: llm.CustomTool}}}})
		},
	} {
		_, e := ChatWire{}.EncodeRequest(nil, newChatRequest(set), core.Traits{Label: "Mistral"})
		require.NotNil(t, e, param)
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Equal(t, param, e.Param)
		assert.Contains(t, e.Public, "Mistral")
	}
}

func TestMessagesAreWrittenAsProvidersReadThem(t *testing.T) {
	call := func(id, name string) llm.Part {
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: id, Name: name, Input: "{}"}}
	}
	result := func(id, name, text string) llm.Part {
		return llm.Part{Kind: llm.ResultPart, Result: &llm.Result{CallID: id, Name: name, Parts: []llm.Part{llm.NewText(text)}}}
	}
	for name, tc := range map[string]struct {
		in      []llm.Message
		want    string
		dropped []string
	}{
		"texts of a system stand apart":      {[]llm.Message{{Role: llm.System, Parts: []llm.Part{llm.NewText("a"), llm.NewText("b")}}}, `{"role":"system","content":"a\n\nb"}`, nil},
		"texts of a user are parts":          {[]llm.Message{{Role: llm.User, Name: "bob", Parts: []llm.Part{llm.NewText("a"), llm.NewText("b")}}}, `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"name":"bob"}`, nil},
		"texts of an assistant are one":      {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{llm.NewText("a"), llm.NewText("b")}}}, `{"role":"assistant","content":"ab"}`, nil},
		"an image by its address":            {[]llm.Message{{Role: llm.User, Parts: []llm.Part{{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://x", Detail: "high"}}}}}, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x","detail":"high"}}]}`, nil},
		"an image by its data":               {[]llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("see"), {Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "QUJD"}}}}}, `{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}`, nil},
		"a call alone has no content":        {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{call("1", "f")}}}, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, nil},
		"reasoning of this shape goes back":  {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: "hm"}}, llm.NewText("a")}}}, `{"role":"assistant","content":"a","reasoning_content":"hm"}`, nil},
		"reasoning of others is left out":    {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm", Signature: "s"}}, llm.NewText("a")}}}, `{"role":"assistant","content":"a"}`, []string{"reasoning"}},
		"a thought signature is left out":    {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{ID: "1", Name: "f", Signature: "s"}}}}}, `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, []string{"thought_signature"}},
		"a refusal goes back as text":        {[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.RefusalPart, Text: "no"}}}}, `{"role":"assistant","content":"no"}`, nil},
		"results are a message each":         {[]llm.Message{{Role: llm.ToolRole, Parts: []llm.Part{result("1", "", "a"), result("2", "", "b")}}}, `{"role":"tool","tool_call_id":"1","content":"a"},{"role":"tool","tool_call_id":"2","content":"b"}`, nil},
		"a failed result with an error text": {[]llm.Message{{Role: llm.ToolRole, Parts: []llm.Part{{Kind: llm.ResultPart, Result: &llm.Result{CallID: "1", Failed: true, Parts: []llm.Part{llm.NewText("Error: x")}}}}}}, `{"role":"tool","tool_call_id":"1","content":"Error: x"}`, []string{"is_error"}},
		"calls without identifiers are given some": {
			[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{call("", "f"), call("", "g")}}, {Role: llm.ToolRole, Parts: []llm.Part{result("", "g", "G"), result("", "f", "F")}}, {Role: llm.Assistant, Parts: []llm.Part{call("", "f")}}, {Role: llm.ToolRole, Parts: []llm.Part{result("", "f", "F2")}}},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"call_2","content":"G"},{"role":"tool","tool_call_id":"call_1","content":"F"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"call_3","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_3","content":"F2"}`, nil,
		},
		"nothing at all": {nil, ``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &llm.Request{Messages: tc.in}
			assert.Equal(t, `{"model":"m","messages":[`+tc.want+`]}`, encodeRequest(t, r, everyTrait))
			assert.Equal(t, tc.dropped, r.Dropped)
		})
	}
}

func TestOneOfSeveralToolsIsAskedForByOfferingThoseAlone(t *testing.T) {
	r := newChatRequest(func(r *llm.Request) {
		r.Tools = []llm.Tool{{Name: "a"}, {Name: "b"}, {Name: "c"}}
		r.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: []string{"c", "a"}}
	})
	assert.Contains(
		t,
		encodeRequest(t, r, plain),
		`"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"c"}}],"tool_choice":"required"`,
	)
	assert.Len(t, r.Tools, 3, "the request itself stays")
}

// roundTrips are requests whose meaning survives a translation into the shape that
// they came in; what they become is read again.
var roundTrips = []string{
	withField(
		`"temperature":1.0e0,"top_p":0.5,"seed":12345678901234567890,"n":2,"stop":["a","b"],"logprobs":true,"top_logprobs":2,"reasoning_effort":"low","verbosity":"high","prompt_cache_key":"k","user":"u","frequency_penalty":-1,"presence_penalty":1,"max_completion_tokens":5`,
	),
	withField(
		`"tools":[{"type":"function","function":{"name":"f","description":"d\n","strict":true,"parameters":{"type":"object","properties":{"a":{"const":1.0}}}}},{"type":"custom","custom":{"name":"c","description":"e","format":{"type":"grammar","grammar":{"syntax":"regex","definition":"a\\d"}}}}],"tool_choice":{"type":"custom","custom":{"name":"c"}},"parallel_tool_calls":false`,
	),
	withField(
		`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f"}},"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","strict":true,"schema":{"type":"object"}}}`,
	),
	withField(`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required","response_format":{"type":"json_object"}`),
	withMessage(
		`{"role":"system","content":"s"},{"role":"user","name":"bob","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD","detail":"low"}},{"type":"text","text":"b"}]},` +
			`{"role":"assistant","reasoning_content":"hm","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}},{"id":"2","type":"custom","custom":{"name":"c","input":"\ud83d\ude00"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"r"},{"role":"tool","tool_call_id":"2","content":""}`,
	),
}

func TestARequestThatComesBackInItsOwnShapeMeansTheSame(t *testing.T) {
	for _, body := range roundTrips {
		first := translate(t, body)
		out := encodeRequest(t, first, everyTrait)
		assert.Equal(t, first, translate(t, out), "%s", out)
	}
}
