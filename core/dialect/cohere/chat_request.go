package cohere

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
	e := encoder{b: append(dst, '{'), r: r, t: t, limit: t.Limit(r.MaxTokens)}
	e.b = splice.AppendString(splice.AppendKey(e.b, "model"), r.Model)
	e.b = strconv.AppendBool(splice.AppendKey(e.b, "stream"), r.Stream)
	if err := e.messages(); err != nil {
		return nil, err
	}
	e.tools()
	e.format()
	e.sampling()
	e.thinking()
	e.dropped()
	return append(e.b, '}'), nil
}

// encoder writes one request.
type encoder struct {
	b     []byte
	r     *llm.Request
	t     core.Traits
	limit int64 // of tokens; 0: none
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

// maxP is the largest p that the API takes. It stands for 1, which other shapes
// have as "all of them"; left out, p would be 0.75.
const maxP = "0.99"

func (e *encoder) sampling() {
	r := e.r
	if e.limit > 0 {
		e.b = strconv.AppendInt(splice.AppendKey(e.b, "max_tokens"), e.limit, 10)
	}
	e.number("temperature", r.Temperature)
	if p := r.TopP; e.t.OneSampling && r.Temperature != "" && p != "" {
		r.Drop("top_p")
	} else {
		if f, err := strconv.ParseFloat(string(p), 64); err == nil && f > 0.99 {
			p = maxP
		}
		e.number("p", p)
	}
	e.number("k", r.TopK)
	e.taken(e.t.Seed, "seed", r.Seed)
	e.taken(e.t.Penalties, "frequency_penalty", r.FrequencyPenalty)
	e.taken(e.t.Penalties, "presence_penalty", r.PresencePenalty)
	if len(r.Stop) > 0 {
		e.b = append(splice.AppendKey(e.b, "stop_sequences"), '[')
		for _, s := range r.Stop {
			e.b = splice.AppendString(splice.AppendComma(e.b), s)
		}
		e.b = append(e.b, ']')
	}
	switch {
	case r.Logprobs && e.t.Logprobs:
		e.b = append(splice.AppendKey(e.b, "logprobs"), "true"...)
	case r.Logprobs:
		r.Drop("logprobs")
	}
}

// format asks for JSON. A schema is always kept to: there is nothing to be strict
// about.
func (e *encoder) format() {
	f := e.r.Format
	if f == nil {
		return
	}
	e.b = append(splice.AppendKey(e.b, "response_format"), `{"type":"json_object"`...)
	if f.Schema != nil {
		e.b = append(splice.AppendKey(e.b, "json_schema"), f.Schema...)
	}
	e.b = append(e.b, '}')
}

// budgets are the tokens that an effort gives the model to think with.
var budgets = map[llm.Effort]int64{llm.EffortLow: 1024, llm.EffortMedium: 4096, llm.EffortHigh: 16384, llm.EffortXHigh: 32000}

// thinking turns the effort into a budget. It is a part of max_tokens here, so one
// that leaves nothing for the answer is not sent.
func (e *encoder) thinking() {
	switch r := e.r; {
	case r.Effort == "":
	case !e.t.Effort:
		r.Drop("reasoning_effort")
	case budgets[r.Effort] == 0:
		e.b = append(splice.AppendKey(e.b, "thinking"), `{"type":"disabled"}`...)
	default:
		e.b = append(splice.AppendKey(e.b, "thinking"), `{"type":"enabled"`...)
		if budget := budgets[r.Effort]; e.limit == 0 || budget < e.limit {
			e.b = strconv.AppendInt(splice.AppendKey(e.b, "token_budget"), budget, 10)
		}
		e.b = append(e.b, '}')
	}
}

const anyObject = `{"type":"object","properties":{}}`

// tools appends the tools and the choice. The API knows no names in a choice: the
// others are left out in their stead.
func (e *encoder) tools() {
	tools, choice := e.r.Tools, &e.r.Choice
	if choice.Mode == llm.ChooseNamed {
		tools = slices.DeleteFunc(slices.Clone(tools), func(t llm.Tool) bool { return !slices.Contains(choice.Names, t.Name) })
	}
	if len(tools) == 0 {
		return
	}
	strict, some := e.t.Strict, false
	e.b = append(splice.AppendKey(e.b, "tools"), '[')
	for i := range tools {
		t := &tools[i]
		on := t.Strict != nil && *t.Strict
		strict, some = strict && on, some || on
		e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"type":"function","function":{"name":`...), t.Name)
		if t.Description != "" {
			e.b = splice.AppendString(splice.AppendKey(e.b, "description"), t.Description)
		}
		schema := t.Schema
		if schema == nil {
			schema = []byte(anyObject)
		}
		e.b = append(append(splice.AppendKey(e.b, "parameters"), schema...), "}}"...)
	}
	e.b = append(e.b, ']')
	if strict { // one switch for all
		e.b = append(splice.AppendKey(e.b, "strict_tools"), "true"...)
	} else if some {
		e.r.Drop("tools.function.strict")
	}
	switch choice.Mode {
	case llm.ChooseNone:
		e.b = append(splice.AppendKey(e.b, "tool_choice"), `"NONE"`...)
	case llm.ChooseRequired, llm.ChooseNamed:
		e.b = append(splice.AppendKey(e.b, "tool_choice"), `"REQUIRED"`...)
	}
}

// dropped notes what the API has no place for.
func (e *encoder) dropped() {
	r := e.r
	for _, f := range [...]struct {
		name string
		is   bool
	}{
		{"top_logprobs", r.TopLogprobs != ""},
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
