package core

import (
	"github.com/headgate-dev/headgate/core/llm"
)

// Action is what a stage decides.
type Action uint8

// Actions. The zero value, Undecided, counts as a failure of the stage.
const (
	Undecided Action = iota
	Pass             // continue; findings are kept
	Rewrite          // continue with the edits and the patch applied
	Answer           // request phase only: reply at once; the provider is not asked
	Block            // refuse with Err
	Retry            // response phase only: ask the model again, with Append after the request's messages
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

// Verdict is the answer of a stage. A stage never changes the exchange: it returns the changes, and the chain applies
// them.
type Verdict struct {
	Action   Action
	Findings []Finding // evidence, kept for every action
	Edits    []Edit    // Rewrite: changes of text
	Patch    Patch     // Rewrite: changes of parameters
	Header   []Field   // added to the answer
	// Reply is the answer of an Answer. Its Header is nil or has the Content-Type of the body; text/event-stream makes
	// it a stream.
	Reply *Payload
	// Append are text messages that a Retry appends to the request, after the answer to which it objects. The gateway
	// adds that answer as the provider sent it, so that restored values are not sent back.
	Append []llm.Message
	// Err is sent to the client after a Block, and after a Retry if the model cannot be asked again.
	Err *Error
	// Keep is this link's own state for this exchange. Its later calls receive it, and no other link does.
	Keep any
}

// Field is one header line of an answer.
type Field struct{ Name, Value string }

// Patch changes parameters of the call.
type Patch struct {
	Model     string // empty to leave it as sent
	MaxTokens int64  // an upper limit for the answer's tokens; 0: none
}
