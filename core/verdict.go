package core

import (
	"github.com/headgate-dev/headgate/core/llm"
)

// Action is what a stage decides.
type Action uint8

// Actions. The zero value is Undecided: a stage that does not decide has failed.
const (
	Undecided Action = iota
	Pass             // go on; findings are kept
	Rewrite          // go on with the edits and the patch applied
	Answer           // request phase only: reply at once; the provider is not asked
	Block            // refuse with Err
	Retry            // response phase only: ask the model again, with Append behind the request's messages
)

func (a Action) String() string {
	switch a {
	case Pass:
		return "pass"
	case Rewrite:
		return "rewrite"
	case Answer:
		return "answer"
	case Block:
		return "block"
	case Retry:
		return "retry"
	}
	return "undecided"
}

// Verdict is the answer of a stage. A stage never changes the exchange: it says
// what should change, and the chain does it.
type Verdict struct {
	Action   Action
	Findings []Finding // evidence, kept whatever the action
	Edits    []Edit    // Rewrite: changes of text
	Patch    Patch     // Rewrite: changes of parameters
	Header   []Field   // added to the answer
	// Reply is the answer of an Answer. Its Header is nil, or says what the body is: a
	// Content-Type of text/event-stream makes it the stream that a client asked for.
	Reply *Payload
	// Append are messages of text that a Retry puts behind the request's, after the
	// answer that it objects to. That one is added by the gateway as the provider
	// gave it, so that nothing that was restored goes back.
	Append []llm.Message
	// Err is what a Block tells the client, and a Retry when the model cannot be
	// asked again.
	Err *Error
	// Keep is this link's own state for this exchange. Its later calls receive it, and no other link does.
	Keep any
}

// Field is one header line of an answer.
type Field struct{ Name, Value string }

// Patch changes parameters of the call.
type Patch struct {
	Model     string // "": as sent
	MaxTokens int64  // an upper limit for the answer's tokens; 0: none
}
