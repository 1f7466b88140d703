package anthropic

import "github.com/headgate-dev/headgate/core/dialect/wire"

// Messages is the Messages shape.
type Messages struct{}

var _ wire.Translator = Messages{}

// MessagesName is the name of the Messages shape.
const MessagesName = "anthropic.messages"

// Name returns MessagesName.
func (Messages) Name() string { return MessagesName }

// Marks of a request, in x.Request.Marks. An empty span means that the field is
// absent.
const (
	markOpen      = iota // behind the opening brace
	markModel            // content of the model string
	markMaxTokens        // the value
	marks
)

// notes is what the scans keep from one call to the next.
type notes struct {
	joined []byte // an event of several data lines, as one
	tokens tokens // of the stream so far
	event  event  // the current event, kept here to reuse it
}
