package ollama

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/encode"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends r as the body of a chat request.
func (ChatWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	base, err := encode.NewRequest(dst, r, t)
	if err != nil {
		return nil, err
	}
	e := encoder{Request: base}
	e.BeginChat()
	if err := e.appendMessages(); err != nil {
		return nil, err
	}
	e.appendTools()
	e.appendFormat()
	e.appendEffort()
	e.appendOptions()
	e.appendLogprobs()
	e.DropCommon()
	return append(e.B, '}'), nil
}

// encoder writes one request.
type encoder struct {
	encode.Request
}

// appendFormat asks for JSON, with or without a schema.
func (e *encoder) appendFormat() {
	f := e.R.Format
	switch {
	case f == nil:
	case f.Schema == nil:
		e.B = append(splice.AppendKey(e.B, "format"), `"json"`...)
	default:
		e.B = append(splice.AppendKey(e.B, "format"), f.Schema...)
	}
}

// levels maps efforts to Ollama's levels.
var levels = map[llm.Effort]string{
	llm.EffortNone: `false`, llm.EffortMinimal: `"low"`, llm.EffortLow: `"low"`, llm.EffortMedium: `"medium"`,
	llm.EffortHigh: `"high"`, llm.EffortXHigh: `"max"`,
}

func (e *encoder) appendEffort() {
	level := levels[e.R.Effort]
	switch {
	case level == "":
	case !e.T.Effort:
		e.R.RecordDropped("reasoning_effort")
	default:
		e.B = append(splice.AppendKey(e.B, "think"), level...)
	}
}

// appendOptions appends limits and sampling.
func (e *encoder) appendOptions() {
	r, mark := e.R, len(e.B)
	e.B = append(splice.AppendKey(e.B, "options"), '{')
	start := len(e.B)
	if limit := e.T.ChooseTokenLimit(r.MaxTokens); limit > 0 {
		e.B = strconv.AppendInt(splice.AppendKey(e.B, "num_predict"), limit, 10)
	}
	e.AppendNumber("temperature", r.Temperature)
	e.AppendNumberIf(!e.T.OneSampling || r.Temperature == "", "top_p", r.TopP)
	e.AppendNumber("top_k", r.TopK)
	e.AppendNumberIf(e.T.Seed, "seed", r.Seed)
	e.AppendNumberIf(e.T.Penalties, "frequency_penalty", r.FrequencyPenalty)
	e.AppendNumberIf(e.T.Penalties, "presence_penalty", r.PresencePenalty)
	e.AppendStrings("stop", r.Stop)
	if len(e.B) == start {
		e.B = e.B[:mark]
		return
	}
	e.B = append(e.B, '}')
}

func (e *encoder) appendLogprobs() {
	r := e.R
	switch {
	case !r.Logprobs:
	case e.T.Logprobs:
		e.B = append(splice.AppendKey(e.B, "logprobs"), "true"...)
		e.AppendNumber("top_logprobs", r.TopLogprobs)
	default:
		r.RecordDropped("logprobs")
	}
}

const anyObject = `{"type":"object","properties":{}}`

// appendTools appends the tools. The API has no tool choice, so only the tools that the
// model can call are sent.
func (e *encoder) appendTools() {
	tools, choice := e.R.Tools, &e.R.Choice
	switch choice.Mode {
	case llm.ChooseNone:
		return
	case llm.ChooseNamed:
		tools = llm.FilterTools(tools, choice.Names)
		e.R.RecordDropped("tool_choice")
	case llm.ChooseRequired:
		e.R.RecordDropped("tool_choice")
	}
	if len(tools) == 0 {
		return
	}
	e.B = append(splice.AppendKey(e.B, "tools"), '[')
	for i := range tools {
		t := &tools[i]
		e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"type":"function","function":{"name":`...), t.Name)
		if t.Description != "" {
			e.B = splice.AppendString(splice.AppendKey(e.B, "description"), t.Description)
		}
		schema := t.Schema
		if schema == nil {
			schema = []byte(anyObject)
		}
		e.B = append(append(splice.AppendKey(e.B, "parameters"), schema...), "}}"...)
		if t.Strict != nil && *t.Strict {
			e.R.RecordDropped("tools.function.strict")
		}
	}
	e.B = append(e.B, ']')
}
