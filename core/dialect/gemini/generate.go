package gemini

import (
	"strconv"
	"unsafe"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Generate is the generateContent shape, whole and streamed.
type Generate struct{}

var _ core.Translator = Generate{}

// GenerateName is the name of the generateContent shape.
const GenerateName = "gemini.generate"

// Name gives GenerateName.
func (Generate) Name() string { return GenerateName }

// Marks of a request, in x.Request.Marks. A mark that is all zero means that the
// field is absent.
const (
	markOpen     = iota // behind the opening brace
	markModel           // content of the model string in the body, if there is one
	markConfig          // behind the opening brace of generationConfig, or its null
	markMaxValue        // the value of maxOutputTokens
	marks
)

// notes is what Scan remembers for Forward, and what the scan of a stream
// remembers from one event to the next.
type notes struct {
	configEmpty bool // generationConfig has no members
	limited     bool // maxOutputTokens has a value that is not null
	calls       int32
	joined      []byte
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
		Public: "you must provide the field " + strconv.Quote(param),
	}
}

// view reads bytes of the body as a string without a copy. What keeps it beyond
// the exchange makes its own.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// alias reads a string, which aliases the body unless it holds escapes; any other
// value is skipped and gives "".
func alias(s *splice.Scanner, doc []byte) string {
	if s.Kind() != splice.String {
		s.Skip()
		return ""
	}
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return view(splice.AppendText(make([]byte, 0, at.Len()), doc[at.Start:at.End]))
	}
	return view(doc[at.Start:at.End])
}

// str reads a string of its own.
func str(s *splice.Scanner, doc []byte) string {
	if s.Kind() != splice.String {
		s.Skip()
		return ""
	}
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return view(splice.AppendText(make([]byte, 0, at.Len()), doc[at.Start:at.End]))
	}
	return string(doc[at.Start:at.End])
}

// raw reads a value as it is spelled; null gives nil.
func raw(s *splice.Scanner, doc []byte) []byte {
	null := s.Kind() == splice.Null
	at := s.Skip()
	if null || s.Err() != nil {
		return nil
	}
	return doc[at.Start:at.End]
}

// truth reads a boolean; any other value is skipped and gives false.
func truth(s *splice.Scanner) bool {
	if k := s.Kind(); k != splice.True && k != splice.False {
		s.Skip()
		return false
	}
	return s.Bool()
}

// count reads a number of tokens or an index. Google writes 64-bit ones in quotes.
func count(s *splice.Scanner, doc []byte) int64 {
	var at splice.Span
	switch s.Kind() {
	case splice.Number:
		at = s.Number()
	case splice.String:
		at, _ = s.String()
	default:
		s.Skip()
		return 0
	}
	if s.Err() != nil {
		return 0
	}
	n, ok := splice.Integer(doc[at.Start:at.End])
	if !ok || n < 0 {
		return 0
	}
	return n
}
