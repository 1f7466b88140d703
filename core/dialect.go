package core

import "github.com/headgate-dev/headgate/core/splice"

// Dialect is a shape as a client speaks it. It reads bodies in one pass over
// their bytes and writes only the little that the gateway says by itself.
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
	// earlier event of the stream, for what all events share.
	AppendDelta(dst, like []byte, p Part, text string) []byte
	// AppendEnd appends what ends a stream early: e after a denial or a
	// failure. like may be nil.
	AppendEnd(dst, like []byte, e *Error) []byte
	// AppendError appends the body of an error answer.
	AppendError(dst []byte, e *Error) []byte
	// ReadError finds code and message in a provider's error body.
	ReadError(body []byte) (code, message string)
}

// Traits are what the target asks of a request: data, not branches.
type Traits struct {
	Model string // the name to send
	// LimitField is the name of the token limit that the model takes; "": as
	// the client sent it.
	LimitField string
	DefaultCap int64 // the limit to set when the client sets none; 0: none
	Cap        int64 // an upper limit set by a stage; 0: none
	// StreamUsage is true when the provider takes stream_options.include_usage.
	StreamUsage bool
}

// Event is one server-sent event of an answer.
type Event struct {
	Raw []byte // as received, the blank line at its end included
	// Joined, when set, is what the spans of this event lie in: the event with its
	// data lines written as one. It takes the place of Raw when text is changed.
	Joined []byte
	Deltas []Delta
	// Tied are values that repeat text of the deltas.
	Tied []Tied
	// Closes are the choices that finish with this event.
	Closes []int32
	// Bare is true when the event carries nothing but its deltas: it is
	// dropped when their text is held back.
	Bare bool
	// Done marks the end of the stream, as "[DONE]".
	Done bool
	// Like is true when the event can serve as the model for AppendDelta.
	Like bool
	// Withhold is true when the client did not ask for this event.
	Withhold bool
	// Failed is true when the event is the provider's own error.
	Failed bool
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
	*e = Event{Raw: raw, Deltas: e.Deltas[:0], Tied: e.Tied[:0], Closes: e.Closes[:0]}
}
