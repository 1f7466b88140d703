package llm

import "encoding/json"

// Response is a whole answer.
type Response struct {
	ID      string // the provider's; "" where it gives none
	Model   string // as the provider reports it; "" where it does not
	Created int64  // Unix seconds; 0: unknown
	Choices []Answer
	Usage   Usage
}

// Answer is one of the answers to a request.
type Answer struct {
	Parts  []Part
	Finish Finish
	// StopSequence is the one of Request.Stop that ended the answer.
	StopSequence string
	// Logprobs is the chat shape's logprobs object. Optional.
	Logprobs json.RawMessage
}

// Finish says why an answer ended.
type Finish uint8

// Reasons. The zero value means not set.
const (
	FinishUnsaid   Finish = iota
	FinishStop            // the model ended, or wrote a stop sequence
	FinishLength          // at the token limit
	FinishTools           // to have tools called
	FinishFiltered        // the provider's filter cut it
	FinishRefusal         // the model declined
)

// EventKind is the kind of an event of a stream, which determines the set fields.
type EventKind uint8

// Kinds of events. An answer is: Started, then for each part an Opened and its
// Deltas, then Finished for each choice, UsageEvent, Ended. A part ends when
// another of its choice is opened or the choice is finished.
const (
	_          EventKind = iota
	Started              // ID, Model, Created; Usage, if the provider reports the read tokens at once
	Opened               // Choice, Part: a part begins. Part has no text yet, but for Call its ID, Name and Kind
	Delta                // Choice, Text: more text of the part opened last: text, reasoning, refusal, a call's Input
	Signed               // Choice, Text: the signature of the reasoning or the call opened last
	Logprobs             // Choice, Raw: the chat shape's logprobs object for the last delta
	Finished             // Choice, Finish, StopSequence
	UsageEvent           // Usage: the totals so far; the last one counts
	Failed               // Error: the provider ended the stream
	Ended                // the provider's own end was seen
)

// Event is one step of a streamed answer. It is valid during the call that
// hands it over; strings may be kept.
type Event struct {
	Kind         EventKind
	Choice       int
	Part         Part
	Text         string
	Finish       Finish
	StopSequence string
	Raw          json.RawMessage
	Usage        Usage
	Error        *Failure

	ID, Model string
	Created   int64
}

// Failure is the provider's own error inside a stream.
type Failure struct {
	Status        int // the HTTP status that it stands for; 0: unknown
	Code, Message string
}
