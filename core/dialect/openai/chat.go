package openai

import "github.com/headgate-dev/headgate/core"

// Chat is the chat completions shape.
type Chat struct{}

var _ core.Dialect = Chat{}

// ChatName is the name of the chat completions shape.
const ChatName = "openai.chat"

// Name returns ChatName.
func (Chat) Name() string { return ChatName }

// Marks of a chat request, in x.Request.Marks. An empty span means that the
// field is absent.
const (
	markOpen                   = iota // after the opening brace
	markModel                         // content of the model string
	markMaxTokens                     // the value
	markMaxTokensMember               // key and value
	markMaxCompletionTokens           // the value
	markMaxCompletionTokensMem        // key and value
	markStreamOptions                 // the value
	markIncludeUsage                  // the value
	markEffort                        // key and value
	markParallel                      // key and value
	marks                             // this mark and all further ones: the value of each "strict" that is true
)

// notes is what Scan keeps for Forward.
type notes struct {
	wantsUsage   bool  // the client asked for the usage chunk
	options      bool  // stream_options is an object
	optionsEmpty bool  // without members
	count        int64 // answers requested; 0 if omitted
	event        eventScan
}
