package cohere

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/encode"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends r as the body of a version 2 chat request.
func (ChatWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	head, err := encode.NewRequest(dst, r, t)
	if err != nil {
		return nil, err
	}
	e := encoder{Request: head, limit: t.ChooseTokenLimit(r.MaxTokens)}
	e.BeginChat()
	if err := e.appendMessages(); err != nil {
		return nil, err
	}
	e.appendTools()
	e.appendFormat()
	e.appendSampling()
	e.appendThinking()
	e.Drop(encode.Field{Name: "top_logprobs", Given: r.TopLogprobs != ""})
	e.DropCommon()
	return append(e.B, '}'), nil
}

// encoder writes one request.
type encoder struct {
	encode.Request
	limit int64 // of tokens; 0: none
}

// maxP is the API's limit for p. It replaces 1. If p is omitted, the API uses 0.75.
const maxP = "0.99"

func (e *encoder) appendSampling() {
	r := e.R
	if e.limit > 0 {
		e.B = strconv.AppendInt(splice.AppendKey(e.B, "max_tokens"), e.limit, 10)
	}
	e.AppendNumber("temperature", r.Temperature)
	if p := r.TopP; e.T.OneSampling && r.Temperature != "" && p != "" {
		r.RecordDropped("top_p")
	} else {
		if f, err := strconv.ParseFloat(string(p), 64); err == nil && f > 0.99 {
			p = maxP
		}
		e.AppendNumber("p", p)
	}
	e.AppendNumber("k", r.TopK)
	e.AppendNumberIf(e.T.Seed, "seed", r.Seed)
	e.AppendNumberIf(e.T.Penalties, "frequency_penalty", r.FrequencyPenalty)
	e.AppendNumberIf(e.T.Penalties, "presence_penalty", r.PresencePenalty)
	e.AppendStrings("stop_sequences", r.Stop)
	switch {
	case r.Logprobs && e.T.Logprobs:
		e.B = append(splice.AppendKey(e.B, "logprobs"), "true"...)
	case r.Logprobs:
		r.RecordDropped("logprobs")
	}
}

// appendFormat asks for JSON. A schema is always enforced.
func (e *encoder) appendFormat() {
	f := e.R.Format
	if f == nil {
		return
	}
	e.B = append(splice.AppendKey(e.B, "response_format"), `{"type":"json_object"`...)
	if f.Schema != nil {
		e.B = append(splice.AppendKey(e.B, "json_schema"), f.Schema...)
	}
	e.B = append(e.B, '}')
}

// budgets maps an effort to a thinking budget in tokens.
var budgets = map[llm.Effort]int64{llm.EffortLow: 1024, llm.EffortMedium: 4096, llm.EffortHigh: 16384, llm.EffortXHigh: 32000}

// appendThinking appends a thinking budget. It counts towards max_tokens, so a budget
// that leaves nothing for the answer is omitted.
func (e *encoder) appendThinking() {
	switch r := e.R; {
	case r.Effort == "":
	case !e.T.Effort:
		r.RecordDropped("reasoning_effort")
	case budgets[r.Effort] == 0:
		e.B = append(splice.AppendKey(e.B, "thinking"), `{"type":"disabled"}`...)
	default:
		e.B = append(splice.AppendKey(e.B, "thinking"), `{"type":"enabled"`...)
		if budget := budgets[r.Effort]; e.limit == 0 || budget < e.limit {
			e.B = strconv.AppendInt(splice.AppendKey(e.B, "token_budget"), budget, 10)
		}
		e.B = append(e.B, '}')
	}
}

const anyObject = `{"type":"object","properties":{}}`

// appendTools appends the tools and the choice. The API cannot choose by name, so only
// the named tools are sent.
func (e *encoder) appendTools() {
	tools, choice := e.R.Tools, &e.R.Choice
	if choice.Mode == llm.ChooseNamed {
		tools = llm.FilterTools(tools, choice.Names)
	}
	if len(tools) == 0 {
		return
	}
	strict, some := e.T.Strict, false
	e.B = append(splice.AppendKey(e.B, "tools"), '[')
	for i := range tools {
		t := &tools[i]
		on := t.Strict != nil && *t.Strict
		strict, some = strict && on, some || on
		e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"type":"function","function":{"name":`...), t.Name)
		if t.Description != "" {
			e.B = splice.AppendString(splice.AppendKey(e.B, "description"), t.Description)
		}
		schema := t.Schema
		if schema == nil {
			schema = []byte(anyObject)
		}
		e.B = append(append(splice.AppendKey(e.B, "parameters"), schema...), "}}"...)
	}
	e.B = append(e.B, ']')
	if strict { // one switch for all
		e.B = append(splice.AppendKey(e.B, "strict_tools"), "true"...)
	} else if some {
		e.R.RecordDropped("tools.function.strict")
	}
	switch choice.Mode {
	case llm.ChooseNone:
		e.B = append(splice.AppendKey(e.B, "tool_choice"), `"NONE"`...)
	case llm.ChooseRequired, llm.ChooseNamed:
		e.B = append(splice.AppendKey(e.B, "tool_choice"), `"REQUIRED"`...)
	}
}
