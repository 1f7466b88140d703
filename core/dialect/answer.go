package dialect

import (
	"errors"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// textDialects are the client dialects whose answers are text, by name.
var textDialects = func() map[string]wire.Translator {
	m := map[string]wire.Translator{}
	for _, d := range []wire.Translator{openai.Chat{}, openai.Responses{}, openai.Completions{}, anthropic.Messages{}, gemini.Generate{}} {
		m[d.Name()] = d
	}
	return m
}()

// Headers of answers. They must not be modified.
var (
	jsonHeader   = http.Header{"Content-Type": {jsonType}}
	streamHeader = http.Header{"Content-Type": {eventType}}
)

// maxAnswers limits the answers of one request. It is the limit of the dialects themselves.
const maxAnswers = 128

var (
	errWordless = errors.New("the call is not answered in words, so a text cannot be its answer")
	errAnswers  = errors.New("the call asks for so many answers that a text cannot answer it")
)

// BuildAnswer returns a reply that says text in the shape of the exchange's client. It counts no tokens, because no model
// was called. Every choice that the request wants has the same text.
func BuildAnswer(x *core.Exchange, text string) (*core.Payload, error) {
	d, ok := textDialects[x.Dialect]
	if !ok || x.Head.Task != llm.TaskAnswer {
		return nil, errWordless
	}
	if x.Head.Answers() > maxAnswers {
		return nil, errAnswers
	}
	r, e := d.Decode(x)
	if e != nil { // answers do not depend on it, and only one provider accepts it
		r = &llm.Request{Stream: x.Head.Stream}
	}
	r.Model = x.Head.Model
	reply := &core.Payload{Status: http.StatusOK, Header: jsonHeader}
	prompts, each := int(max(x.Head.Prompts, 1)), int(max(x.Head.AnswersPerPrompt, 1))
	if x.Head.Stream {
		reply.Header = streamHeader
		reply.Raw = encodeTextStream(d, r, x, text, prompts, each)
		return reply, nil
	}
	a := &llm.Response{Model: r.Model, Created: x.Received.Unix(), Usage: llm.Usage{Reported: true}}
	for range prompts * each {
		a.Choices = append(a.Choices, llm.Answer{Parts: []llm.Part{llm.NewText(text)}, Finish: llm.FinishStop})
	}
	reply.Raw = d.Encode(nil, r, a)
	return reply, nil
}

// encodeTextStream encodes the events of a streamed reply.
func encodeTextStream(d wire.Translator, r *llm.Request, x *core.Exchange, text string, prompts, each int) (out []byte) {
	enc := wire.StreamEncoder(nil)
	if b, ok := d.(wire.Batcher); ok {
		enc = b.EncodeStreams(r, prompts)
	} else {
		enc = d.EncodeStream(r)
	}
	for range prompts {
		out = enc.Append(out, &llm.Event{Kind: llm.Started, Model: r.Model, Created: x.Received.Unix()})
		for i := range each {
			out = enc.Append(out, &llm.Event{Kind: llm.Opened, Choice: i, Part: llm.Part{Kind: llm.TextPart}})
			out = enc.Append(out, &llm.Event{Kind: llm.Delta, Choice: i, Text: text})
			out = enc.Append(out, &llm.Event{Kind: llm.Finished, Choice: i, Finish: llm.FinishStop})
		}
		out = enc.Append(out, &llm.Event{Kind: llm.UsageEvent, Usage: llm.Usage{Reported: true}})
		out = enc.Append(out, &llm.Event{Kind: llm.Ended})
	}
	return out
}
