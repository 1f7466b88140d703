package direct

import (
	"mime"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Shape is one of these APIs. It is immutable.
type Shape struct {
	name string
	task llm.Task
	// form is true if requests are multipart/form-data, and sound if answers are bytes that no guard can judge.
	form, sound bool
	members     map[string]member
	needs       []string // members that a request must have, besides the model
	model       string   // the default model; if empty, a request must name a model
	// most returns the most that a call can use. texts is the usage of its request's texts.
	most func(texts int64, n *notes) llm.Usage
	// units returns the units that a call has used, where the request determines them.
	units func(x *core.Exchange, n *notes) llm.Units
}

var _ core.Dialect = (*Shape)(nil)

// Form is the kind of content of an answer.
type Form uint8

// Forms of answers.
const (
	JSON   Form = iota
	Text        // a transcript as plain text
	Bytes       // sound
	Events      // sound in events
)

// notes are what a scan keeps for later phases.
type notes struct {
	boundary string   // of a form
	parts    int      // delimiters of a form
	files    int      // files of a form
	millis   int64    // the longest that the sound of all files can last
	letters  int64    // bytes of all texts of the request as the client sent it
	names    []string // what replaces the names of files; empty if the name stays
	answers  int64    // requested pictures; 0: not set
	elements int64    // documents or inputs
	query    int      // bytes of the query
	form     Form     // of the answer
	joined   []byte   // an event of several lines
	events   int32    // texts found in events
}

// Places in a request that Forward needs.
const (
	markModel = iota
	markOpen  // where a member can be inserted
	markFiles // and on: the names of files
)

// Name returns the name of the shape.
func (s *Shape) Name() string { return s.name }

// AppendForwardCuts sets the target's model, and replaces names of files that are not plain. All other bytes stay.
func (s *Shape) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	n := scan.FindNotes[notes](x)
	if e := s.checkForm(x.Request.Raw, n); e != nil {
		return dst, e
	}
	at := x.Request.Marks[markModel]
	switch {
	case at.End == 0: // the client names none
		with := `"model":` + string(splice.AppendString(nil, t.Model)) + ","
		dst = append(dst, splice.Cut{Span: x.Request.Marks[markOpen], With: with})
	case t.Model == x.Head.Model:
	case s.form:
		dst = append(dst, splice.Cut{Span: at, With: t.Model})
	default:
		dst = append(dst, splice.Cut{Span: at, With: string(splice.AppendEscaped(nil, t.Model))})
	}
	for i, name := range n.names {
		if name != "" {
			dst = append(dst, splice.Cut{Span: x.Request.Marks[markFiles+i], With: name})
		}
	}
	return dst, nil
}

// FindContentType returns the media type of a request in a shape, by the shape's name, or "" if the body is JSON.
func FindContentType(x *core.Exchange, shape string) string {
	if s := Shapes[shape]; s == nil || !s.form {
		return ""
	}
	return mime.FormatMediaType(formType, map[string]string{"boundary": scan.FindNotes[notes](x).boundary})
}

// AppendError appends an error body in OpenAI's shape.
func (*Shape) AppendError(dst []byte, e *core.Error) []byte { return openai.Chat{}.AppendError(dst, e) }

// ReadError returns the code and message of a provider's error body.
func (*Shape) ReadError(body []byte) (code, message string) { return openai.Chat{}.ReadError(body) }
