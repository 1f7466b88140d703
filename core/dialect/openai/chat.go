package openai

import (
	"strconv"
	"unsafe"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Chat is the chat completions shape.
type Chat struct{}

var _ core.Dialect = Chat{}

// ChatName is the name of the chat completions shape.
const ChatName = "openai.chat"

// Name gives ChatName.
func (Chat) Name() string { return ChatName }

// Marks of a chat request, in x.Request.Marks. An empty span means that the
// field is absent.
const (
	markOpen                   = iota // behind the opening brace
	markModel                         // content of the model string
	markMaxTokens                     // the value
	markMaxTokensMember               // key and value
	markMaxCompletionTokens           // the value
	markMaxCompletionTokensMem        // key and value
	markStreamOptions                 // the value
	markIncludeUsage                  // the value
	markEffort                        // key and value
	markParallel                      // key and value
	marks                             // from here on: each "strict" that is true, the value
)

// notes is what Scan remembers for Forward.
type notes struct {
	wantsUsage   bool  // the client asked for the usage chunk
	options      bool  // stream_options is an object
	optionsEmpty bool  // without members
	count        int64 // answers wanted; 0: not said
	event        eventScan
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

// str reads a string, as a copy.
func str(s *splice.Scanner, doc []byte) string {
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return view(splice.AppendText(make([]byte, 0, at.Len()), doc[at.Start:at.End]))
	}
	return string(doc[at.Start:at.End])
}
