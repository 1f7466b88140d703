package openai

import (
	"cmp"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// ChatWire is the chat completions API of OpenAI and of the providers that adopted it.
type ChatWire struct{}

var _ wire.Wire = ChatWire{}

// Name returns ChatName.
func (ChatWire) Name() string { return ChatName }

// EncodeRequest appends r as a chat completion request.
func (ChatWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if r.Count > 1 && !t.Count {
		return dst, newChatCountError(t)
	}
	if e := wire.RefuseThinking(r, t); e != nil {
		return dst, e
	}
	w := chatWriter{r: r, t: t, dst: dst}
	w.dst = appendChatString(append(w.dst, `{"model":`...), cmp.Or(t.Model, r.Model))
	w.appendMessages()
	w.appendLimits()
	w.appendSampling()
	w.appendTools()
	w.appendFormat()
	if r.Stream {
		w.dst = append(w.dst, `,"stream":true`...)
		if t.StreamUsage { // always, for the meter
			w.dst = append(w.dst, `,"stream_options":{"include_usage":true}`...)
		}
	}
	if w.err != nil {
		return dst, w.err
	}
	return append(w.dst, '}'), nil
}

// chatWriter is the state of one EncodeRequest.
type chatWriter struct {
	r   *llm.Request
	t   core.Traits
	dst []byte
	err *core.Error

	named int           // identifiers made for calls that had none
	open  []pendingCall // calls without an identifier whose result has not come
}

// refuse keeps the first error and names the provider in it.
func (w *chatWriter) refuse(param, cannot string) {
	if w.err == nil {
		w.err = scan.NewUnsupportedError(param, nameChatLabel(w.t)+" "+cannot)
	}
}

// appendLimits appends limits, options and the end user.
func (w *chatWriter) appendLimits() {
	r, t := w.r, w.t
	if n := t.ChooseTokenLimit(r.MaxTokens); n > 0 {
		w.dst = appendChatInt(appendChatKey(w.dst, cmp.Or(t.LimitField, maxTokens)), n)
	}
	if r.Count > 1 {
		w.dst = appendChatInt(appendChatKey(w.dst, "n"), int64(r.Count))
	}
	w.appendStrings("stop", r.Stop)
	w.appendText("reasoning_effort", string(r.Effort), t.Effort)
	w.appendText("verbosity", r.Verbosity, t.Verbosity)
	w.appendText("prompt_cache_key", r.CacheKey, t.CacheKey)
	w.appendText("user", r.User, true)
}

func (w *chatWriter) appendSampling() {
	r, t := w.r, w.t
	w.appendNumber("temperature", r.Temperature, true)
	w.appendNumber("top_p", r.TopP, !t.OneSampling || r.Temperature == "")
	w.appendNumber("top_k", r.TopK, false)
	w.appendNumber("frequency_penalty", r.FrequencyPenalty, t.Penalties)
	w.appendNumber("presence_penalty", r.PresencePenalty, t.Penalties)
	w.appendNumber("seed", r.Seed, t.Seed)
	switch {
	case r.Logprobs && t.Logprobs:
		w.dst = append(w.dst, `,"logprobs":true`...)
		w.appendNumber("top_logprobs", r.TopLogprobs, true)
	case r.Logprobs:
		r.RecordDropped("logprobs")
	case r.TopLogprobs != "": // without logprobs
		r.RecordDropped("top_logprobs")
	}
}

// appendNumber appends a number as it was spelled, or drops it.
func (w *chatWriter) appendNumber(name string, n llm.Number, taken bool) {
	switch {
	case n == "":
	case !taken:
		w.r.RecordDropped(name)
	default:
		w.dst = append(appendChatKey(w.dst, name), n...)
	}
}

func (w *chatWriter) appendText(name, s string, taken bool) {
	switch {
	case s == "":
	case !taken:
		w.r.RecordDropped(name)
	default:
		w.dst = appendChatMember(w.dst, name, s)
	}
}

func (w *chatWriter) appendStrings(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.dst = append(appendChatKey(w.dst, name), '[')
	for i, s := range list {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = appendChatString(w.dst, s)
	}
	w.dst = append(w.dst, ']')
}

// appendFormat appends the response format. OpenAI requires a name for a schema.
func (w *chatWriter) appendFormat() {
	f := w.r.Format
	if f == nil {
		return
	}
	if f.Schema == nil {
		w.dst = append(w.dst, `,"response_format":{"type":"json_object"}`...)
		return
	}
	w.dst = append(w.dst, `,"response_format":{"type":"json_schema","json_schema":{"name":`...)
	w.dst = appendChatString(w.dst, cmp.Or(f.Name, "response"))
	w.appendText("description", f.Description, true)
	w.dst = append(appendChatKey(w.dst, "schema"), f.Schema...)
	w.appendStrict(f.Strict, "response_format.json_schema.strict")
	w.dst = append(w.dst, `}}`...)
}

// appendStrict appends the "strict" flag of a schema. By default a schema is not strict.
func (w *chatWriter) appendStrict(on *bool, name string) {
	switch {
	case on == nil:
	case *on && !w.t.Strict:
		w.r.RecordDropped(name)
	case w.t.Strict:
		w.dst = strconv.AppendBool(appendChatKey(w.dst, "strict"), *on)
	}
}
