package core

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// Dialect is a shape as a client speaks it. It reads bodies in one pass over their bytes and writes only the texts of
// the gateway itself.
type Dialect interface {
	// Name is the shape's name: "openai.chat".
	Name() string
	// Scan checks x.Request.Raw and fills x.Head, x.Request.Segments and
	// x.Request.Marks. An error is the client's fault.
	Scan(x *Exchange) *Error
	// Forward gives the cuts that make the request ready for a provider that
	// speaks the same shape: the routed model, the token limit, what the
	// provider takes under another name.
	Forward(x *Exchange, t Traits, dst []splice.Cut) ([]splice.Cut, *Error)
	// ScanResponse checks x.Response.Raw and fills its segments and x.Usage. An
	// error is the provider's fault.
	ScanResponse(x *Exchange) error
	// ScanEvent reads one server-sent event, ev.Raw, into ev.
	ScanEvent(x *Exchange, ev *Event) error
	// AppendDelta appends an event that carries text for a part. like is an
	// earlier event of the stream, for what all events share; a Repeater is given
	// the last event that carried text of that part.
	AppendDelta(dst, like []byte, p Part, text string) []byte
	// AppendEnd appends what ends a stream early: e after a denial or a
	// failure. like may be nil. last is the event that came last, for a Repeater, or
	// nil.
	AppendEnd(dst, like, last []byte, e *Error) []byte
	// AppendError appends the body of an error answer.
	AppendError(dst []byte, e *Error) []byte
	// ReadError finds code and message in a provider's error body.
	ReadError(body []byte) (code, message string)
}

// Traits are what the target asks of a request: data, not branches.
type Traits struct {
	Model string // the name to send
	// Label is the provider's name as people write it, for refusals.
	Label string
	// LimitField is the name of the token limit that the model takes; "": as
	// the client sent it.
	LimitField string
	DefaultCap int64 // the limit to set when the client sets none; 0: none
	Cap        int64 // an upper limit set by a stage; 0: none
	// ImageLimit is the length of the longest base64 of one picture; 0: not known.
	ImageLimit int
	// StreamUsage is true when the provider takes stream_options.include_usage.
	StreamUsage bool

	// What the model takes. A field that it does not take is dropped and counted,
	// or refused where the specification says so.
	Effort       bool   // a reasoning effort, or the thinking that goes with one
	Adaptive     bool   // the effort itself: the model has no budget to think with
	ThinkingOff  string // the type of thinking that turns it off, where it is on by default; optional
	NoThoughts   bool   // extended thinking, which it accepts and does not do: for the mock
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

	// NoStore is true when the provider is asked to store nothing.
	NoStore bool
}

// Limit returns the token limit to send for the client's limit. 0 means no limit.
func (t Traits) Limit(asked int64) int64 {
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
	// Joined, when set, is what the spans of this event lie in: the event with its
	// data lines written as one. It replaces Raw when text is changed.
	Joined []byte
	Deltas []Delta
	// Tied are values that repeat text of the deltas.
	Tied []Tied
	// Closes are the choices that finish with this event.
	Closes []int32
	// Ends are the parts that end with this event: what is held of them goes out
	// before it.
	Ends []Part
	// Wholes are values that repeat the whole text of a part that has ended, or ends
	// with this event. The client is told in them what it was sent in pieces. One of
	// a part that came in no pieces is looked at as a whole. Only a Repeater has
	// them.
	Wholes []Delta
	// Bare is true when the event carries nothing but its deltas: it is
	// dropped when their text is held back.
	Bare bool
	// Done marks the end of the stream, as "[DONE]".
	Done bool
	// Like is true when the event can serve as the model for AppendDelta.
	Like bool
	// Withhold is true when the client did not ask for this event.
	Withhold bool
	// Opening is true when the event announces an answer and holds nothing of it: a
	// failure that follows can still be told by an HTTP status.
	Opening bool
	// Finish is the reason why the first choice ended, in Raw or Joined and without its
	// quotes; empty when the event does not tell it.
	Finish splice.Span
	// Failed is true when the event is the provider's own error.
	Failed bool
	// Status is the HTTP status that a failure stands for; 0: not known.
	Status int
	// Impure is true when Raw holds lines besides those of its data that may hold text,
	// such as comments. Guards do not see them; see [sse.Strip].
	Impure bool
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

// Omitter is a Dialect whose Forward leaves out, or weakens, what the target does
// not take.
type Omitter interface {
	Dialect
	// Omits appends the names of those fields, so that they are counted.
	Omits(dst []string, x *Exchange, t Traits) []string
}

// Appender is a Dialect whose requests can be asked again with more messages.
type Appender interface {
	Dialect
	// Append appends the cuts that put messages behind those of x.Request.Raw. They
	// are the user's or the assistant's, with parts of text only. No cut of Forward
	// lies where these do.
	Append(x *Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *Error)
}

// Repeater is a Dialect whose streams repeat at the end what they have said in
// pieces: the chain then remembers what the client was sent.
type Repeater interface {
	Dialect
	RepeatsText()
}
