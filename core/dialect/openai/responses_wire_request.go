package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends a Responses request with store: false, because the dialect that
// it comes from stores nothing either.
func (ResponsesWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if e := wire.RefuseThinking(r, t); e != nil {
		return dst, e
	}
	if e := rejectUnsupported(r, t); e != nil {
		return dst, e
	}
	w := responsesWriter{dst: dst}
	w.dst = appendMember(append(w.dst, '{'), "model", t.Model)
	w.dst = append(w.dst, `,"store":false,"input":[`...)
	for i := range r.Messages {
		w.appendMessage(r, &r.Messages[i])
	}
	dst = append(w.dst, ']')
	dst = appendTools(dst, r)
	if limit := capLimit(r.MaxTokens, t); limit > 0 {
		dst = strconv.AppendInt(append(dst, `,"max_output_tokens":`...), limit, 10)
	}
	if r.Temperature != "" {
		dst = append(append(dst, `,"temperature":`...), r.Temperature...)
	}
	if r.TopP != "" && !(t.OneSampling && r.Temperature != "") {
		dst = append(append(dst, `,"top_p":`...), r.TopP...)
	} else if r.TopP != "" {
		r.RecordDropped("top_p")
	}
	dst = appendOptions(dst, r, t)
	for _, e := range r.Extras {
		dst = append(append(append(dst, `,"`...), e.Name...), `":`...)
		dst = append(dst, e.Value...)
	}
	if r.Stream {
		dst = append(dst, `,"stream":true`...)
	}
	return append(dst, '}'), nil
}

// rejectUnsupported rejects fields that the Responses API does not have, and drops those
// that can be dropped.
func rejectUnsupported(r *llm.Request, t core.Traits) *core.Error {
	param := ""
	switch {
	case len(r.Stop) > 0:
		param = "stop"
	case r.Seed != "":
		param = "seed"
	case r.FrequencyPenalty != "":
		param = "frequency_penalty"
	case r.PresencePenalty != "":
		param = "presence_penalty"
	case r.Count > 1:
		param = "n"
	}
	if param != "" {
		label := t.Label
		if label == "" {
			label = "the provider"
		}
		return scan.NewUnsupportedError(param, strconv.Quote(param)+" cannot be used together with tools and a reasoning effort: "+label+
			" takes these only in its Responses API, which has no such field; leave it out, or set the effort to \"none\"")
	}
	if r.TopK != "" {
		r.RecordDropped("top_k")
	}
	return nil
}

// appendOptions appends options that some models do not accept.
func appendOptions(dst []byte, r *llm.Request, t core.Traits) []byte {
	sent := func(asked, taken bool, field string) bool {
		if asked && !taken {
			r.RecordDropped(field)
		}
		return asked && taken
	}
	if sent(r.Effort != "", t.Effort, "reasoning_effort") {
		dst = append(appendMember(append(dst, `,"reasoning":{`...), "effort", string(r.Effort)), '}')
	}
	verbosity := sent(r.Verbosity != "", t.Verbosity, "verbosity")
	if r.Format != nil || verbosity {
		dst = append(dst, `,"text":{`...)
		if r.Format != nil {
			dst = appendFormat(append(dst, `"format":`...), r.Format)
		}
		if verbosity {
			if r.Format != nil {
				dst = append(dst, ',')
			}
			dst = appendMember(dst, "verbosity", r.Verbosity)
		}
		dst = append(dst, '}')
	}
	if sent(r.Parallel != nil, t.Parallel, "parallel_tool_calls") {
		dst = strconv.AppendBool(append(dst, `,"parallel_tool_calls":`...), *r.Parallel)
	}
	if sent(r.CacheKey != "", t.CacheKey, "prompt_cache_key") {
		dst = appendMember(append(dst, ','), "prompt_cache_key", r.CacheKey)
	}
	if sent(r.Logprobs, t.Logprobs, "logprobs") {
		dst = append(dst, `,"include":["message.output_text.logprobs"]`...)
		if r.TopLogprobs != "" {
			dst = append(append(dst, `,"top_logprobs":`...), r.TopLogprobs...)
		}
	}
	if r.User != "" {
		dst = appendMember(append(dst, ','), "user", r.User)
	}
	return dst
}
