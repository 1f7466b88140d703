package anthropic

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// all are the traits of a model that takes what the shape can say.
var all = core.Traits{Model: "claude", Label: "Anthropic", Effort: true, Parallel: true, Strict: true, ResultImages: true}

func encode(t testing.TB, r *llm.Request, traits core.Traits) string {
	b, e := MessagesWire{}.EncodeRequest([]byte("x"), r, traits)
	require.Nil(t, e, "%v", e)
	require.True(t, json.Valid(b[1:]), "%s", b)
	return string(b[1:])
}

// asking is a request of one message that change has made something else of.
func asking(change func(r *llm.Request)) *llm.Request {
	r := &llm.Request{Messages: []llm.Message{user(llm.NewText("hi"))}}
	change(r)
	return r
}

const (
	asked    = `{"model":"claude","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]`
	askedFor = `{"model":"claude","max_tokens":`
)

func TestARequestIsWrittenInTheShape(t *testing.T) {
	f := llm.Tool{Name: "f", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}
	const fTool = `{"name":"f","description":"d","input_schema":{"type":"object"}}`
	schema := json.RawMessage(`{"type":"object","additionalProperties":false}`)
	const answer = `{"name":"headgate_answer","description":"Call this tool to give your answer. Its input is the answer; write nothing beside it.","input_schema":`
	less := func(change func(t *core.Traits)) core.Traits {
		traits := all
		change(&traits)
		return traits
	}
	newer := less(func(t *core.Traits) { t.Adaptive, t.OwnSampling = true, true })
	unforced := less(func(t *core.Traits) { t.Adaptive, t.OwnSampling, t.FreeChoice = true, true, true })
	hi := `,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]`
	for name, tc := range map[string]struct {
		change  func(r *llm.Request)
		traits  core.Traits
		want    string
		dropped []string
	}{
		"the least":                    {func(*llm.Request) {}, all, asked + `}`, nil},
		"a limit":                      {func(r *llm.Request) { r.MaxTokens = 7 }, all, askedFor + `7` + hi + `}`, nil},
		"a default limit":              {func(*llm.Request) {}, less(func(t *core.Traits) { t.DefaultCap = 99 }), askedFor + `99` + hi + `}`, nil},
		"a cap":                        {func(r *llm.Request) { r.MaxTokens = 7 }, less(func(t *core.Traits) { t.Cap = 5 }), askedFor + `5` + hi + `}`, nil},
		"a cap above the limit":        {func(r *llm.Request) { r.MaxTokens = 7 }, less(func(t *core.Traits) { t.Cap = 50 }), askedFor + `7` + hi + `}`, nil},
		"a cap and no limit":           {func(*llm.Request) {}, less(func(t *core.Traits) { t.Cap = 9999 }), askedFor + `9999` + hi + `}`, nil},
		"sampling":                     {func(r *llm.Request) { r.Temperature, r.TopP, r.TopK = "0.70", "0.9", "5" }, all, asked + `,"temperature":0.70,"top_p":0.9,"top_k":5}`, nil},
		"one of temperature and top_p": {func(r *llm.Request) { r.Temperature, r.TopP = "0.7", "0.9" }, less(func(t *core.Traits) { t.OneSampling = true }), asked + `,"temperature":0.7}`, []string{"top_p"}},
		"top_p alone":                  {func(r *llm.Request) { r.TopP = "0.9" }, less(func(t *core.Traits) { t.OneSampling = true }), asked + `,"top_p":0.9}`, nil},
		"stop sequences":               {func(r *llm.Request) { r.Stop = []string{"a", "\"\n"} }, all, asked + `,"stop_sequences":["a","\"\n"]}`, nil},
		"a stream":                     {func(r *llm.Request) { r.Stream = true }, all, asked + `,"stream":true}`, nil},
		"the end user":                 {func(r *llm.Request) { r.User = "u" }, all, asked + `,"metadata":{"user_id":"u"}}`, nil},
		"tools":                        {func(r *llm.Request) { r.Tools = []llm.Tool{f, {Name: "g"}} }, all, asked + `,"tools":[` + fTool + `,{"name":"g","input_schema":{"type":"object"}}]}`, nil},
		"a tool with the schema {}":    {func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "g", Schema: []byte("{}")}} }, all, asked + `,"tools":[{"name":"g","input_schema":{"type":"object"}}]}`, nil},
		"a strict tool":                {func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "g", Strict: ptr(true)}} }, all, asked + `,"tools":[{"name":"g","input_schema":{"type":"object"},"strict":true}]}`, nil},
		"a strict tool, taken loosely": {func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "g", Strict: ptr(true)}} }, less(func(t *core.Traits) { t.Strict = false }), asked + `,"tools":[{"name":"g","input_schema":{"type":"object"}}]}`, []string{"tools.function.strict"}},
		"a choice":                     {func(r *llm.Request) { r.Tools, r.Choice.Mode = []llm.Tool{f}, llm.ChooseRequired }, all, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"any"}}`, nil},
		"no tool":                      {func(r *llm.Request) { r.Tools, r.Choice.Mode, r.Parallel = []llm.Tool{f}, llm.ChooseNone, ptr(false) }, all, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"none"}}`, nil},
		"a named tool": {func(r *llm.Request) {
			r.Tools, r.Choice = []llm.Tool{f}, llm.Choice{Mode: llm.ChooseNamed, Names: []string{"f"}}
		}, all, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"tool","name":"f"}}`, nil},
		"one of two tools of three": {func(r *llm.Request) {
			r.Tools, r.Choice = []llm.Tool{f, {Name: "g"}, {Name: "h"}}, llm.Choice{Mode: llm.ChooseNamed, Names: []string{"g", "h"}}
		}, all, asked + `,"tools":[{"name":"g","input_schema":{"type":"object"}},{"name":"h","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`, nil},
		"a choice without tools":          {func(r *llm.Request) { r.Choice.Mode, r.Parallel = llm.ChooseAuto, ptr(false) }, all, asked + `}`, nil},
		"one call at a time":              {func(r *llm.Request) { r.Tools, r.Parallel = []llm.Tool{f}, ptr(false) }, all, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`, nil},
		"one call at a time, not taken":   {func(r *llm.Request) { r.Tools, r.Parallel = []llm.Tool{f}, ptr(false) }, less(func(t *core.Traits) { t.Parallel = false }), asked + `,"tools":[` + fTool + `]}`, []string{"parallel_tool_calls"}},
		"calls at once":                   {func(r *llm.Request) { r.Tools, r.Parallel = []llm.Tool{f}, ptr(true) }, all, asked + `,"tools":[` + fTool + `]}`, nil},
		"low effort":                      {func(r *llm.Request) { r.Effort, r.MaxTokens = llm.EffortLow, 10 }, all, askedFor + `1034` + hi + `,"thinking":{"type":"enabled","budget_tokens":1024}}`, nil},
		"medium effort":                   {func(r *llm.Request) { r.Effort, r.Temperature, r.TopP = llm.EffortMedium, "1.0", "0.95" }, all, askedFor + `8192` + hi + `,"temperature":1.0,"top_p":0.95,"thinking":{"type":"enabled","budget_tokens":4096}}`, nil},
		"high effort":                     {func(r *llm.Request) { r.Effort = llm.EffortHigh }, all, askedFor + `20480` + hi + `,"thinking":{"type":"enabled","budget_tokens":16384}}`, nil},
		"the highest effort":              {func(r *llm.Request) { r.Effort = llm.EffortXHigh }, all, askedFor + `36096` + hi + `,"thinking":{"type":"enabled","budget_tokens":32000}}`, nil},
		"an effort of a newer model":      {func(r *llm.Request) { r.Effort, r.MaxTokens = llm.EffortLow, 10 }, newer, askedFor + `1034` + hi + `,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`, nil},
		"no effort of a newer model":      {func(r *llm.Request) { r.Effort = llm.EffortNone }, newer, asked + `}`, nil},
		"no effort of one that thinks":    {func(r *llm.Request) { r.Effort = llm.EffortMinimal }, less(func(t *core.Traits) { t.Adaptive, t.ThinkingOff = true, "disabled" }), asked + `,"thinking":{"type":"disabled"}}`, nil},
		"nothing said to one that thinks": {func(*llm.Request) {}, less(func(t *core.Traits) { t.Adaptive, t.ThinkingOff = true, "disabled" }), asked + `}`, nil},
		"sampling of a newer model":       {func(r *llm.Request) { r.Temperature, r.TopP, r.TopK = "0.2", "0.9", "5" }, newer, asked + `}`, []string{"temperature", "top_p", "top_k"}},
		"a strict schema of a newer model, with thought": {func(r *llm.Request) {
			r.Effort, r.Format = llm.EffortHigh, &llm.Format{Schema: schema, Strict: ptr(true)}
		}, newer, askedFor + `20480` + hi + `,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high","format":{"type":"json_schema","schema":` + string(schema) + `}}}`, nil},
		"a forced call of a newer model": {func(r *llm.Request) {
			r.Tools, r.Choice.Mode, r.Effort = []llm.Tool{f}, llm.ChooseRequired, llm.EffortHigh
		}, newer, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"any"}}`, []string{"reasoning_effort"}},
		"any JSON, of one that cannot be forced": {func(r *llm.Request) { r.Format = &llm.Format{} }, unforced, asked + `,"tools":[` + answer + `{"type":"object"}}],"tool_choice":{"type":"auto"}}`, nil},
		"an effort with a forced call": {func(r *llm.Request) {
			r.Tools, r.Choice.Mode, r.Effort = []llm.Tool{f}, llm.ChooseRequired, llm.EffortLow
		}, all, asked + `,"tools":[` + fTool + `],"tool_choice":{"type":"any"}}`, []string{"reasoning_effort"}},
		"minimal effort":                 {func(r *llm.Request) { r.Effort, r.Temperature = llm.EffortMinimal, "0.1" }, all, asked + `,"temperature":0.1}`, nil},
		"no effort":                      {func(r *llm.Request) { r.Effort, r.TopP = llm.EffortNone, "0.1" }, all, asked + `,"top_p":0.1}`, nil},
		"an effort that is not taken":    {func(r *llm.Request) { r.Effort, r.Temperature = llm.EffortHigh, "0.1" }, less(func(t *core.Traits) { t.Effort = false }), asked + `,"temperature":0.1}`, []string{"reasoning_effort"}},
		"thinking in the shape's words":  {func(r *llm.Request) { r.Effort, r.Thinking = llm.EffortHigh, json.RawMessage(`{"type":"adaptive"}`) }, all, asked + `,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}`, nil},
		"a strict answer":                {func(r *llm.Request) { r.Format = &llm.Format{Name: "n", Schema: schema, Strict: ptr(true)} }, all, asked + `,"output_config":{"format":{"type":"json_schema","schema":` + string(schema) + `}}}`, nil},
		"a strict answer described":      {func(r *llm.Request) { r.Format = &llm.Format{Description: "d", Schema: schema, Strict: ptr(true)} }, all, asked + `,"output_config":{"format":{"type":"json_schema","schema":` + string(schema) + `}}}`, []string{"response_format.json_schema.description"}},
		"a strict answer, taken loosely": {func(r *llm.Request) { r.Format = &llm.Format{Schema: schema, Strict: ptr(true)} }, less(func(t *core.Traits) { t.Strict = false }), asked + `,"tools":[` + answer + string(schema) + `}],"tool_choice":{"type":"tool","name":"headgate_answer"}}`, []string{"response_format.json_schema.strict"}},
		"a loose answer":                 {func(r *llm.Request) { r.Format = &llm.Format{Schema: schema} }, all, asked + `,"tools":[` + answer + string(schema) + `}],"tool_choice":{"type":"tool","name":"headgate_answer"}}`, nil},
		"any JSON":                       {func(r *llm.Request) { r.Format = &llm.Format{} }, all, asked + `,"tools":[` + answer + `{"type":"object"}}],"tool_choice":{"type":"tool","name":"headgate_answer"}}`, nil},
		"any JSON, and tools":            {func(r *llm.Request) { r.Format, r.Tools = &llm.Format{}, []llm.Tool{f} }, all, asked + `,"tools":[` + fTool + `,` + answer + `{"type":"object"}}],"tool_choice":{"type":"any"}}`, nil},
		"any JSON, with thought":         {func(r *llm.Request) { r.Format, r.Effort = &llm.Format{}, llm.EffortLow }, all, askedFor + `5120` + hi + `,"tools":[` + answer + `{"type":"object"}}],"tool_choice":{"type":"auto"},"thinking":{"type":"enabled","budget_tokens":1024}}`, nil},
		"what the shape cannot say": {
			func(r *llm.Request) {
				r.FrequencyPenalty, r.PresencePenalty, r.Seed, r.Logprobs, r.TopLogprobs, r.Verbosity, r.CacheKey = "1", "1", "7", true, "2", "low", "k"
			}, all, asked + `}`,
			[]string{"frequency_penalty", "presence_penalty", "seed", "logprobs", "top_logprobs", "verbosity", "prompt_cache_key"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := asking(tc.change)
			assert.Equal(t, tc.want, encode(t, r, tc.traits))
			assert.Equal(t, tc.dropped, r.Dropped)
		})
	}
}

func TestWhatTheProviderCannotBeAskedIsRefusedByItsName(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(r *llm.Request)
		param  string
	}{
		"several answers":             {func(r *llm.Request) { r.Count = 2 }, "n"},
		"an effort and a temperature": {func(r *llm.Request) { r.Effort, r.Temperature = llm.EffortLow, "0.99" }, "temperature"},
		"an effort and a low top_p":   {func(r *llm.Request) { r.Effort, r.TopP = llm.EffortXHigh, "0.949" }, "top_p"},
		"no message but the system's": {func(r *llm.Request) { r.Messages[0].Role = llm.System }, "messages"},
		"a message of space":          {func(r *llm.Request) { r.Messages[0].Parts = []llm.Part{llm.NewText(" \n")} }, "messages"},
		"an empty message":            {func(r *llm.Request) { r.Messages[0].Parts = []llm.Part{llm.NewText("")} }, "messages"},
	} {
		t.Run(name, func(t *testing.T) {
			b, e := MessagesWire{}.EncodeRequest([]byte("x"), asking(tc.change), all)
			require.NotNil(t, e)
			assert.Equal(t, "x", string(b))
			assert.Equal(t, core.CodeUnsupported, e.Code)
			assert.Equal(t, core.InvalidRequest, e.Kind)
			assert.Equal(t, tc.param, e.Param)
			assert.Contains(t, e.Public, "Anthropic")
		})
	}
}

func TestACallCannotBeForcedOnAModelThatChoosesItself(t *testing.T) {
	traits := all
	traits.FreeChoice = true
	for mode, refused := range map[llm.ChoiceMode]bool{llm.ChooseRequired: true, llm.ChooseNamed: true, llm.ChooseAuto: false, llm.ChooseNone: false, llm.ChooseUnsaid: false} {
		r := asking(func(r *llm.Request) {
			r.Tools, r.Choice = []llm.Tool{{Name: "f"}}, llm.Choice{Mode: mode, Names: []string{"f"}}
		})
		_, e := MessagesWire{}.EncodeRequest(nil, r, traits)
		require.Equal(t, refused, e != nil, "%v", mode)
		if refused {
			assert.Equal(t, "tool_choice", e.Param)
			assert.Contains(t, e.Public, "Anthropic")
		}
	}
}

func TestANewerModelThinksOnWithoutEarlierThought(t *testing.T) {
	traits := all
	traits.Adaptive = true
	r := asking(func(r *llm.Request) {
		r.Effort = llm.EffortLow
		r.Messages = append(r.Messages, assistant(llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c", Name: "f"}}),
			llm.Message{Role: llm.ToolRole, Parts: []llm.Part{{Kind: llm.ResultPart, Result: &llm.Result{CallID: "c"}}}})
	})
	assert.Contains(t, encode(t, r, traits), `"thinking":{"type":"adaptive"`)
	assert.Empty(t, r.Dropped)
}

func TestAModelThinksOnOnlyInATurnThatBeganWithThought(t *testing.T) {
	call := llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "c", Name: "f"}}
	thought := llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "t", Signature: "s"}}
	foreign := llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "openai", Encrypted: "e"}}
	result := llm.Message{Role: llm.ToolRole, Parts: []llm.Part{{Kind: llm.ResultPart, Result: &llm.Result{CallID: "c"}}}}
	for name, tc := range map[string]struct {
		after []llm.Message
		want  bool
	}{
		"a new turn":                    {nil, true},
		"after an answer":               {[]llm.Message{assistant(llm.NewText("a")), user(llm.NewText("b"))}, true},
		"a call without thought":        {[]llm.Message{assistant(call), result}, false},
		"a call with another's thought": {[]llm.Message{assistant(foreign, call), result}, false},
		"and a word of the user":        {[]llm.Message{assistant(call), result, user(llm.NewText("b"))}, false},
		"a call with thought":           {[]llm.Message{assistant(thought, call), result}, true},
		"a later call of that turn":     {[]llm.Message{assistant(thought, call), result, assistant(call), result}, true},
		"thought in an earlier turn":    {[]llm.Message{assistant(thought, call), result, assistant(llm.NewText("a")), user(llm.NewText("b")), assistant(call), result}, false},
		"calls in an earlier turn":      {[]llm.Message{assistant(call), result, assistant(llm.NewText("a")), user(llm.NewText("b"))}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := asking(func(r *llm.Request) { r.Effort, r.Messages = llm.EffortLow, append(r.Messages, tc.after...) })
			assert.Equal(t, tc.want, strings.Contains(encode(t, r, all), `"budget_tokens":1024`))
			dropped := slices.Contains(r.Dropped, "reasoning_effort")
			assert.Equal(t, !tc.want, dropped)
		})
	}
}
