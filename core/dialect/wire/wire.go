package wire

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Translator is a Dialect whose requests can be sent in another shape.
type Translator interface {
	core.Dialect
	// Decode reads x.Request.Raw, which Scan has checked and the chain has
	// rewritten. An error is the client's: what no other shape can say is refused,
	// or dropped into Request.Dropped, as the specification has it.
	Decode(x *core.Exchange) (*llm.Request, *core.Error)
	// Encode appends the whole answer to r as this shape's body.
	Encode(dst []byte, r *llm.Request, a *llm.Response) []byte
	// EncodeStream writes a streamed answer to r.
	EncodeStream(r *llm.Request) StreamEncoder
	// TranslateField returns this shape's name of a field that a wire has omitted. Wires name fields as the chat shape
	// does.
	TranslateField(field string) string
}

// Batcher is a Translator one of whose requests may hold several prompts. Each is
// its own call, and the choices of their answers follow each other.
type Batcher interface {
	Translator
	// CountPrompts returns the number of calls that the request asks for, at least one.
	CountPrompts(x *core.Exchange) int
	// DecodePrompt is Decode for the i-th call; Decode gives the first.
	DecodePrompt(x *core.Exchange, i int) (*llm.Request, *core.Error)
	// EncodeStreams is EncodeStream for n answers, whose events come one answer after
	// the other, each up to its Ended.
	EncodeStreams(r *llm.Request, n int) StreamEncoder
}

// StreamEncoder writes the events of one answer as a client's shape has them.
type StreamEncoder interface {
	// Append appends what the client reads of ev: none, one or several whole
	// server-sent events. Failed is appended as the shape's error event.
	Append(dst []byte, ev *llm.Event) []byte
}

// Wire is the wire format of a provider.
type Wire interface {
	// Name is the shape's name. A client's shape of that name passes through.
	Name() string
	// EncodeRequest appends r as the body to send. An error is the client's: the
	// provider, named by t.Label, cannot be asked that. What is left out goes into
	// r.Dropped. r has been lowered (llm.Lower) to what t takes.
	EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error)
	// DecodeResponse reads a whole answer. An error is the provider's fault.
	DecodeResponse(body []byte) (*llm.Response, error)
	// DecodeStream reads a streamed answer.
	DecodeStream() StreamDecoder
	// ReadError returns the code and message of a provider's error body.
	ReadError(body []byte) (code, message string)
}

// RefuseThinking is the refusal of a request for extended thinking by a wire that
// cannot say it; nil: none was asked for. Every wire but that of the Messages shape
// asks it: only a wire knows the provider, which the refusal names.
func RefuseThinking(r *llm.Request, t core.Traits) *core.Error {
	if r.Thinking == nil {
		return nil
	}
	if t.NoThoughts {
		r.RecordDropped("thinking")
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "thinking",
		Public: t.Label + " does not support extended thinking; omit \"thinking\", or route the model to a provider that supports it",
	}
}

// StreamDecoder reads the bytes of one streamed answer, however they are cut.
type StreamDecoder interface {
	// Decode hands each event that b completes to emit. An error is the
	// provider's fault, or emit's own.
	Decode(b []byte, emit func(*llm.Event) error) error
	// Close is called at the end of the bytes, and hands over what is left. A
	// stream that was cut off gives no Ended.
	Close(emit func(*llm.Event) error) error
}
