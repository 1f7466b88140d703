package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
)

// Generate is the generateContent shape, whole and streamed.
type Generate struct{}

var _ wire.Translator = Generate{}

// GenerateName is the name of the generateContent shape.
const GenerateName = "gemini.generate"

// Name returns GenerateName.
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

// notes is what Scan keeps for Forward, and what the scan of a stream keeps between
// events.
type notes struct {
	configEmpty bool // generationConfig has no members
	limited     bool // maxOutputTokens has a value that is not null
	calls       int32
	breaks      map[int32]int32 // interruptions of the text of each candidate so far
	joined      []byte
}

// newMissingError returns the error of a required field that is absent. Google calls a
// parameter a field.
func newMissingError(param string) *core.Error {
	e := scan.NewMissing(param)
	e.Public = "you must provide the field " + strconv.Quote(param)
	return e
}

// readTrue reads a boolean. It skips any other value and returns false.
func readTrue(s *splice.Scanner) bool {
	if k := s.Kind(); k != splice.True && k != splice.False {
		s.Skip()
		return false
	}
	return s.Bool()
}

// readCount reads a number of tokens or an index, as scan.ReadCount does. Google writes 64-bit integers in quotes.
func readCount(s *splice.Scanner, doc []byte) int64 {
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
	n, ok := splice.ParseInteger(doc[at.Start:at.End])
	if !ok || n < 0 {
		return 0
	}
	return min(n, scan.MaxCount)
}
