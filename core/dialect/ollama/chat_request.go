package ollama

import (
	"slices"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends r as the body of a chat call.
func (ChatWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if r.Count > 1 {
		return nil, unsupported("n", t.Label+" gives one answer to a request: leave n out, or send 1")
	}
	if err := core.RefuseThinking(r, t); err != nil {
		return nil, err
	}
	e := encoder{b: append(dst, '{'), r: r, t: t}
	e.b = splice.AppendString(splice.AppendKey(e.b, "model"), r.Model)
	e.b = strconv.AppendBool(splice.AppendKey(e.b, "stream"), r.Stream) // it streams unless told not to
	if err := e.messages(); err != nil {
		return nil, err
	}
	e.tools()
	e.format()
	e.think()
	e.options()
	e.logprobs()
	e.dropped()
	return append(e.b, '}'), nil
}

// encoder writes one request.
type encoder struct {
	b []byte
	r *llm.Request
	t core.Traits
}

// format asks for JSON: any, or by a schema.
func (e *encoder) format() {
	f := e.r.Format
	switch {
	case f == nil:
	case f.Schema == nil:
		e.b = append(splice.AppendKey(e.b, "format"), `"json"`...)
	default:
		e.b = append(splice.AppendKey(e.b, "format"), f.Schema...)
	}
}

// levels are what an effort is called here, where the scale is shorter at one end
// and longer at the other.
var levels = map[llm.Effort]string{
	llm.EffortNone: `false`, llm.EffortMinimal: `"low"`, llm.EffortLow: `"low"`, llm.EffortMedium: `"medium"`, llm.EffortHigh: `"high"`, llm.EffortXHigh: `"max"`,
}

func (e *encoder) think() {
	level := levels[e.r.Effort]
	switch {
	case level == "":
	case !e.t.Effort:
		e.r.Drop("reasoning_effort")
	default:
		e.b = append(splice.AppendKey(e.b, "think"), level...)
	}
}

// number appends a member that is a number, if it was given.
func (e *encoder) number(key string, n llm.Number) {
	if n != "" {
		e.b = append(splice.AppendKey(e.b, key), n...)
	}
}

// taken appends a number that some targets do not take: it is then counted.
func (e *encoder) taken(takes bool, key string, n llm.Number) {
	if n != "" && !takes {
		e.r.Drop(key)
		return
	}
	e.number(key, n)
}

// options appends the limits and the sampling.
func (e *encoder) options() {
	r, mark := e.r, len(e.b)
	e.b = append(splice.AppendKey(e.b, "options"), '{')
	start := len(e.b)
	if limit := e.t.Limit(r.MaxTokens); limit > 0 {
		e.b = strconv.AppendInt(splice.AppendKey(e.b, "num_predict"), limit, 10)
	}
	e.number("temperature", r.Temperature)
	e.taken(!e.t.OneSampling || r.Temperature == "", "top_p", r.TopP)
	e.number("top_k", r.TopK)
	e.taken(e.t.Seed, "seed", r.Seed)
	e.taken(e.t.Penalties, "frequency_penalty", r.FrequencyPenalty)
	e.taken(e.t.Penalties, "presence_penalty", r.PresencePenalty)
	if len(r.Stop) > 0 {
		e.b = append(splice.AppendKey(e.b, "stop"), '[')
		for _, s := range r.Stop {
			e.b = splice.AppendString(splice.AppendComma(e.b), s)
		}
		e.b = append(e.b, ']')
	}
	if len(e.b) == start {
		e.b = e.b[:mark]
		return
	}
	e.b = append(e.b, '}')
}

func (e *encoder) logprobs() {
	r := e.r
	switch {
	case !r.Logprobs:
	case e.t.Logprobs:
		e.b = append(splice.AppendKey(e.b, "logprobs"), "true"...)
		e.number("top_logprobs", r.TopLogprobs)
	default:
		r.Drop("logprobs")
	}
}

const anyObject = `{"type":"object","properties":{}}`

// tools appends the tools. The API has no choice among them: who is to call none
// is offered none, who is to call some of them is offered those.
func (e *encoder) tools() {
	tools, choice := e.r.Tools, &e.r.Choice
	switch choice.Mode {
	case llm.ChooseNone:
		return
	case llm.ChooseNamed:
		tools = slices.DeleteFunc(slices.Clone(tools), func(t llm.Tool) bool { return !slices.Contains(choice.Names, t.Name) })
		e.r.Drop("tool_choice")
	case llm.ChooseRequired:
		e.r.Drop("tool_choice")
	}
	if len(tools) == 0 {
		return
	}
	e.b = append(splice.AppendKey(e.b, "tools"), '[')
	for i := range tools {
		t := &tools[i]
		e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"type":"function","function":{"name":`...), t.Name)
		if t.Description != "" {
			e.b = splice.AppendString(splice.AppendKey(e.b, "description"), t.Description)
		}
		schema := t.Schema
		if schema == nil {
			schema = []byte(anyObject)
		}
		e.b = append(append(splice.AppendKey(e.b, "parameters"), schema...), "}}"...)
		if t.Strict != nil && *t.Strict {
			e.r.Drop("tools.function.strict")
		}
	}
	e.b = append(e.b, ']')
}

// dropped notes what the API has no place for.
func (e *encoder) dropped() {
	r := e.r
	for _, f := range [...]struct {
		name string
		is   bool
	}{
		{"verbosity", r.Verbosity != ""},
		{"prompt_cache_key", r.CacheKey != ""},
		{"user", r.User != ""},
		{"parallel_tool_calls", r.Parallel != nil && !*r.Parallel},
	} {
		if f.is {
			r.Drop(f.name)
		}
	}
}
