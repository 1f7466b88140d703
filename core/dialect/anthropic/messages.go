package anthropic

import (
	"strconv"
	"unsafe"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Messages is the Messages shape.
type Messages struct{}

var _ core.Translator = Messages{}

// MessagesName is the name of the Messages shape.
const MessagesName = "anthropic.messages"

// Name gives MessagesName.
func (Messages) Name() string { return MessagesName }

// Marks of a request, in x.Request.Marks. An empty span means that the field is
// absent.
const (
	markOpen      = iota // behind the opening brace
	markModel            // content of the model string
	markMaxTokens        // the value
	marks
)

// notes is what the scans remember from one call to the next.
type notes struct {
	joined []byte // an event of several data lines, as one
	tokens tokens // of the stream so far
	event  event  // being read, kept here so that it is not made anew each time
}

func notesOf(x *core.Exchange) *notes {
	n, ok := x.Notes.(*notes)
	if !ok {
		n = new(notes)
		x.Notes = n
	}
	return n
}

// bad makes the error of a field.
func bad(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: public, Param: param}
}

func unsupported(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: public, Param: param}
}

func missing(param string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: param,
		Public: "you must provide the parameter " + strconv.Quote(param),
	}
}

// view reads bytes of the body as a string without a copy. What keeps it beyond
// the exchange makes its own.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// str reads a string. The result aliases the body unless it holds escapes: what goes
// into the Head is copied, since a rewritten request lets go of the body it came in.
func str(s *splice.Scanner, doc []byte) string {
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return string(splice.AppendText(nil, doc[at.Start:at.End]))
	}
	return view(doc[at.Start:at.End])
}
