package core

import (
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// Dialect is a shape as a client speaks it. It reads bodies in one pass over their bytes and writes only the texts of
// the gateway itself.
type Dialect interface {
	// Name is the shape's name: "openai.chat".
	Name() string
	// Scan checks x.Request.Raw and fills x.Head, x.Request.Segments and x.Request.Marks. An error means that the
	// request is invalid.
	Scan(x *Exchange) *Error
	// AppendForwardCuts returns the cuts that adapt the request to a provider that speaks the same shape: the routed
	// model, the token limit, and fields with other names.
	AppendForwardCuts(x *Exchange, t Traits, dst []splice.Cut) ([]splice.Cut, *Error)
	// ScanResponse checks x.Response.Raw and fills its segments and x.Usage. An error means that the answer is invalid.
	ScanResponse(x *Exchange) error
	// ScanEvent reads one server-sent event, ev.Raw, into ev.
	ScanEvent(x *Exchange, ev *Event) error
	// AppendDelta appends an event that carries text for a part. like is an
	// earlier event of the stream, for what all events share; a Repeater is given
	// the last event that carried text of that part.
	AppendDelta(dst, like []byte, p Part, text string) []byte
	// AppendEnd appends the early end of a stream: e is a denial or a failure. like is optional. last is the last
	// event, for a Repeater, or nil.
	AppendEnd(dst, like, last []byte, e *Error) []byte
	// AppendError appends the body of an error answer.
	AppendError(dst []byte, e *Error) []byte
	// ReadError returns the code and message in a provider's error body.
	ReadError(body []byte) (code, message string)
}

// Traits are the requirements of the target on a request, as data instead of branches.
type Traits struct {
	Model string // the name to send
	// Label is the provider's name as people write it, for refusals.
	Label string
	// LimitField is the name of the token limit that the model takes; "": as
	// the client sent it.
	LimitField string
	DefaultCap int64 // the limit to set when the client sets none; 0: none
	Cap        int64 // an upper limit set by a stage; 0: none
	// ImageLimit limits the base64 of one picture, in characters; 0: unknown.
	ImageLimit int
	// StreamUsage is true when the provider takes stream_options.include_usage.
	StreamUsage bool

	// What the model supports. A field that it does not support is dropped and counted, or refused where the
	// specification says so.
	Effort       bool   // a reasoning effort, or the thinking that goes with one
	Adaptive     bool   // the effort itself: the model has no budget to think with
	ThinkingOff  string // the type of thinking that turns it off, where it is on by default; optional
	NoThoughts   bool   // extended thinking, which it accepts and ignores: for the mock
	Parallel     bool   // a switch for parallel tool calls
	CustomTools  bool   // tools with free text
	Strict       bool   // strict JSON Schemas; without it they are sent as not strict
	ResultImages bool   // images in tool results
	OneSampling  bool   // temperature or top_p, not both: temperature is sent
	OwnSampling  bool   // neither of them, nor top_k: the model sets them itself
	FreeChoice   bool   // no forced call: the model always chooses whether to call a tool
	Count        bool   // more than one answer
	Penalties    bool
	Seed         bool
	Logprobs     bool
	Verbosity    bool
	CacheKey     bool

	// NoStore asks the provider to store nothing.
	NoStore bool
}

// ChooseTokenLimit returns the token limit to send for the client's limit. 0 means no limit.
func (t Traits) ChooseTokenLimit(asked int64) int64 {
	if asked == 0 {
		asked = t.DefaultCap
	}
	if t.Cap > 0 && (asked == 0 || t.Cap < asked) {
		return t.Cap
	}
	return asked
}

// Event is one server-sent event of an answer.
type Event struct {
	Raw []byte // as received, the blank line at its end included
	// Joined, if set, is the event with its data lines joined into one. The spans of this event then refer to it, and
	// it replaces Raw if text is changed.
	Joined []byte
	Deltas []Delta
	// Repetition are values that repeat text of the deltas.
	Tied []Repetition
	// Closes are the choices that finish with this event.
	Closes []int32
	// Ends are the parts that end with this event: their held text is sent before it.
	Ends []Part
	// Wholes are values that repeat the whole text of a part that has ended, or ends with this event. They are
	// rewritten to what the client was sent in pieces. If a part did not arrive in pieces, its value is judged as a
	// whole. Only a Repeater has them.
	Wholes []Delta
	// HasOnlyDeltas is true when the event carries nothing but its deltas: it is
	// dropped when their text is held back.
	HasOnlyDeltas bool
	// Done marks the end of the stream, as "[DONE]".
	Done bool
	// IsTemplate is true when AppendDelta can make another event from this one.
	IsTemplate bool
	// Withhold is true when the client did not ask for this event.
	Withhold bool
	// Opening is true if the event announces an answer without any content: a failure after it can still be an HTTP
	// status.
	Opening bool
	// Finish is the reason why the first choice ended, in Raw or Joined and without its quotes; empty if the event does
	// not contain it.
	Finish splice.Span
	// Failed is true when the event is the provider's own error.
	Failed bool
	// Status is the HTTP status that a failure stands for; 0: not known.
	Status int
	// Impure is true if Raw contains lines besides its data that may contain text, such as comments. Guards do not see
	// them; see [sse.Strip].
	Impure bool
	// Offsets finds the numbers in the event's data that point into texts of the answer. Optional.
	Offsets offset.Finder
}

// Delta is text in an event.
type Delta struct {
	Part  Part
	Span  splice.Span // in Event.Raw, or Event.Joined; empty when there is no text yet
	Depth uint8
	JSON  bool // the part's text is JSON
}

// Reset empties the event and keeps its slices.
func (e *Event) Reset(raw []byte) {
	*e = Event{Raw: raw, Deltas: e.Deltas[:0], Tied: e.Tied[:0], Closes: e.Closes[:0], Ends: e.Ends[:0], Wholes: e.Wholes[:0]}
}

// Omitter is a Dialect whose Forward omits or weakens fields that the target does not support.
type Omitter interface {
	Dialect
	// AppendOmittedFields appends the names of these fields, so that they are counted.
	AppendOmittedFields(dst []string, x *Exchange, t Traits) []string
}

// Appender is a Dialect whose requests can be repeated with more messages.
type Appender interface {
	Dialect
	// Append appends the cuts that append messages to those of x.Request.Raw. They are the user's or the assistant's,
	// with only text parts. They do not overlap cuts of Forward.
	Append(x *Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *Error)
}

// Repeater is a Dialect whose streams repeat at the end what they sent in pieces: the chain then keeps a transcript of
// what the client was sent.
type Repeater interface {
	Dialect
	RepeatsText()
}
