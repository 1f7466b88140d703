package batch

import (
	"errors"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// maxCustomID limits a custom_id, in bytes.
const maxCustomID = 512

// line is one request of a file. Its spans refer to the line.
type line struct {
	id   splice.Span // the content of the string custom_id
	url  string
	body splice.Span
}

// parseLine parses the members around a request's body. Only the four known ones are allowed: others would escape
// governance.
func parseLine(s *splice.Scanner, doc []byte) (l line, e *core.Error) {
	s.Reset(doc)
	if s.Kind() != splice.Object {
		s.Skip()
		if err := s.Err(); err != nil {
			return l, newSyntaxError(err)
		}
		return l, newInvalidError("", "a line must be a JSON object")
	}
	s.Enter()
	var method string
	for s.Next() {
		switch key := string(s.Key()); key {
		case "custom_id":
			l.id, e = readCustomID(s, e)
		case "method":
			method, e = readText(s, doc, key, e)
		case "url":
			l.url, e = readText(s, doc, key, e)
		case "body":
			if s.Kind() != splice.Object {
				e = chooseFirstError(e, newInvalidError(key, `invalid type for "body": expected an object`))
			}
			l.body = s.Skip()
		default:
			s.Skip()
			e = chooseFirstError(e, &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: truncateName(key),
				Public: "a line has the members custom_id, method, url and body; remove " + strconv.Quote(truncateName(key)),
			})
		}
	}
	s.End()
	if err := s.Err(); err != nil {
		return l, newSyntaxError(err)
	}
	switch {
	case e != nil:
		return l, e
	case l.id.Len() == 0:
		return l, newMissingError("custom_id")
	case method == "":
		return l, newMissingError("method")
	case l.url == "":
		return l, newMissingError("url")
	case l.body.Len() == 0:
		return l, newMissingError("body")
	case method != "POST":
		return l, newInvalidError("method", `"method" must be "POST"`)
	}
	return l, nil
}

func readCustomID(s *splice.Scanner, e *core.Error) (splice.Span, *core.Error) {
	if s.Kind() != splice.String {
		s.Skip()
		return splice.Span{}, chooseFirstError(e, newInvalidError("custom_id", `invalid type for "custom_id": expected a string`))
	}
	at, _ := s.String()
	switch {
	case at.Len() == 0:
		e = chooseFirstError(e, newInvalidError("custom_id", `"custom_id" must not be empty`))
	case at.Len() > maxCustomID:
		e = chooseFirstError(e, newInvalidError("custom_id", `"custom_id" is longer than `+strconv.Itoa(maxCustomID)+" bytes"))
	}
	return at, e
}

func readText(s *splice.Scanner, doc []byte, name string, e *core.Error) (string, *core.Error) {
	if s.Kind() != splice.String {
		s.Skip()
		return "", chooseFirstError(e, newInvalidError(name, "invalid type for "+strconv.Quote(name)+": expected a string"))
	}
	at, _ := s.String()
	if s.Err() != nil {
		return "", e
	}
	return string(splice.AppendText(nil, doc[at.Start:at.End])), e
}

// chooseFirstError returns the first error.
func chooseFirstError(e, next *core.Error) *core.Error {
	if e != nil {
		return e
	}
	return next
}

// truncateName returns the start of a client's field name, for a message.
func truncateName(s string) string { return strings.ToValidUTF8(s[:min(len(s), 64)], "") }

// newSyntaxError converts a scanner's error to the client's error.
func newSyntaxError(err error) *core.Error {
	e := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Public: err.Error(), Err: err}
	var se *splice.SyntaxError
	if errors.As(err, &se) && se.Reason == splice.ReasonDuplicateKey {
		e.Code = core.CodeDuplicateKey
		e.Public = "an object names a key twice, at byte " + strconv.Itoa(se.Offset) + "; send each key once"
	}
	return e
}

// addLineNumber adds the line number to an error.
func addLineNumber(n int, e *core.Error) *core.Error {
	named := *e
	named.Public = "line " + strconv.Itoa(n) + ": " + e.Public
	return &named
}
