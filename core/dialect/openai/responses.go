package openai

import "github.com/headgate-dev/headgate/core"

// Responses is the shape of the Responses API.
type Responses struct{}

var (
	_ core.Dialect  = Responses{}
	_ core.Repeater = Responses{}
)

// ResponsesName is the name of the Responses shape.
const ResponsesName = "openai.responses"

// Name returns ResponsesName.
func (Responses) Name() string { return ResponsesName }

// RepeatsText marks that streams repeat each text at its end.
func (Responses) RepeatsText() {}

// Marks of a Responses request, in x.Request.Marks, after those that it shares with
// chat.
const (
	markLimit       = marks + iota // value of max_output_tokens
	markLimitMember                // key and value
	markStore                      // value of store
	responsesMarks
)

// responsesNotes is what is kept from one event of a stream to the next.
type responsesNotes struct {
	joined []byte
	leaves int32 // texts found so far that nothing repeats
	asked  instructions
	live   bool // the answer is one of the Realtime API
}

// DetoursToResponses reports whether a chat request must go to the provider's Responses
// API: the chat API of the newest models rejects tools together with an effort.
func DetoursToResponses(h *core.Head) bool {
	return len(h.Tools) > 0 && h.Effort != "" && h.Effort != "none"
}
