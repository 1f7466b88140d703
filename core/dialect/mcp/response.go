package mcp

import (
	"bytes"
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Errors of a server's answer. They hold none of its bytes.
var (
	errNotObject  = errors.New("the answer is not a JSON-RPC message")
	errVersion    = errors.New(`the answer is not of JSON-RPC 2.0`)
	errNoResponse = errors.New("the answer is not a response")
	errOtherID    = errors.New("the answer has the id of another request")
	errNoResult   = errors.New(`"result" of the answer is not an object`)
	errNoFailure  = errors.New(`"error" of the answer has no integer "code" or no "message"`)
	errResultType = errors.New(`"resultType" of the answer is not known for this method`)
	errNoInput    = errors.New(`a request for input has neither "inputRequests" nor "requestState"`)
)

// ScanResponse checks the response to the call, finds its texts and fills c.Answer.
func (c *Call) ScanResponse(x *core.Exchange) error {
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	c.Answer = Answer{Definitions: c.Answer.Definitions[:0]}
	r := response{Response: scan.NewResponse(x), c: c}
	if err := scan.OpenObject(r.S, r.Doc, errNotObject); err != nil {
		return err
	}
	for r.S.Next() {
		r.readMember(r.S.Key())
	}
	r.S.End()
	if err := r.S.Err(); err != nil {
		return err
	}
	return r.check()
}

// response is the state of one scan.
type response struct {
	scan.Response
	c   *Call
	err error // the first that is not one of syntax

	hasVersion, hasMethod, hasID, sameID bool
	hasResult, hasError                  bool
	hasList, hasState                    bool
	resultType                           string
}

func (r *response) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *response) readMember(key []byte) {
	switch string(key) {
	case "jsonrpc":
		r.hasVersion = scan.ReadAlias(r.S, r.Doc) == "2.0"
	case "id":
		at := r.S.Skip()
		if r.S.Err() == nil {
			raw := r.Doc[at.Start:at.End]
			r.hasID = string(raw) != "null"
			r.sameID = bytes.Equal(raw, r.c.ID)
		}
	case "method":
		r.hasMethod = true
		r.S.Skip()
	case "result":
		r.hasResult = true
		r.readResult()
	case "error":
		r.hasError = true
		r.readFailure()
	default:
		r.addLeaves(key, core.KindToolResult, -1)
	}
}

// check reports what is wrong with the message as a whole.
func (r *response) check() error {
	switch {
	case !r.hasVersion:
		return errVersion
	case r.hasMethod, r.hasResult == r.hasError:
		return errNoResponse
	case r.hasID && !r.sameID, !r.hasID && r.hasResult: // servers may send an error before they know the id
		return errOtherID
	case r.err != nil:
		return r.err
	case r.hasError:
		return nil
	}
	return r.checkResult()
}

// checkResult reports what is wrong with a result of the call's method.
func (r *response) checkResult() error {
	c, m := r.c, r.c.method
	switch r.resultType {
	case "", "complete":
	case "input_required":
		if !m.mayAsk {
			return errResultType
		}
		if !r.hasState {
			return errNoInput
		}
		c.Answer.AsksInput = true
		return nil
	default:
		return errResultType
	}
	if m.list != "" && !r.hasList {
		return listError(m.list)
	}
	return nil
}

type listError string

func (e listError) Error() string {
	return `"` + string(e) + `" of the result is not a list of objects as the method requires`
}

// addLeaves adds segments for the texts of the value that comes next.
func (r *response) addLeaves(key []byte, kind core.SegmentKind, part int32) {
	leaves.Add(&r.X.Response, r.S, r.Doc, zerocopy.String(key), newServerPlace(kind, part))
}

// readFailure reads the error of a response. Models read its message and its data.
func (r *response) readFailure() {
	r.c.Answer.Failed = true
	if r.S.Kind() != splice.Object {
		r.addLeaves([]byte("error"), core.KindToolResult, -1)
		r.fail(errNoFailure)
		return
	}
	hasCode, hasMessage := false, false
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); {
		case string(key) == "code" && r.S.Kind() == splice.Number:
			at := r.S.Number()
			if r.S.Err() == nil {
				r.c.Answer.Code, hasCode = splice.ParseInteger(r.Doc[at.Start:at.End])
			}
		case string(key) == "message" && r.S.Kind() == splice.String:
			hasMessage = true
			r.addText("error", -1)
		default:
			r.addLeaves(key, core.KindToolResult, -1)
		}
	}
	if !hasCode || !hasMessage {
		r.fail(errNoFailure)
	}
}

// addText adds the string that comes next as a text.
func (r *response) addText(field string, part int32) {
	at, _ := r.S.String()
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	r.X.Response.Segments = append(r.X.Response.Segments, core.Segment{
		Role: core.RoleTool, Kind: core.KindToolResult, Depth: 1, Message: -1, Part: part, Field: field, Span: at,
	})
}

// addJSON adds the strings and numbers of the value that comes next.
func (r *response) addJSON(field string) {
	at := r.S.Skip()
	if r.S.Err() == nil {
		r.X.Response.AddJSON(core.Segment{
			Role: core.RoleTool, Kind: core.KindToolResult, Message: -1, Part: -1, Field: field, Span: at,
		})
	}
}

// ReadForm returns the form of a message that a server sends in an event, and fails if it is none.
// It consumes x.Scanner.
func (c *Call) ReadForm(x *core.Exchange, data []byte) (Form, error) {
	s := &x.Scanner
	s.MaxDepth = maxDepth
	defer func() { s.MaxDepth = 0 }()
	if err := scan.OpenObject(s, data, errNotObject); err != nil {
		return 0, err
	}
	var method, id, result, failure bool
	for s.Next() {
		switch string(s.Key()) {
		case "method":
			method = true
		case "id":
			id = true
		case "result":
			result = true
		case "error":
			failure = true
		}
		s.Skip()
	}
	if s.End(); s.Err() != nil {
		return 0, s.Err()
	}
	switch {
	case method && !result && !failure && id:
		return Request, nil
	case method && !result && !failure:
		return Notification, nil
	case result && !method && !failure:
		return Result, nil
	case failure && !method && !result:
		return Failure, nil
	}
	return 0, errNotObject
}

// readWord reads a string that is an identifier, and shows it to the guards if it is not spelled
// like one.
func (r *response) readWord(field string) string {
	from := r.S.Pos()
	word := strings.Clone(scan.ShortenName(scan.ReadAlias(r.S, r.Doc)))
	r.addOddStrings(from, field)
	return word
}

// addOddStrings shows what does not look like an identifier in a value that has been read; from is a
// place before it.
func (r *response) addOddStrings(from int, field string) {
	if r.S.Err() != nil {
		return
	}
	scan.VisitOddStrings(r.Doc, splice.Span{Start: from, End: r.S.Pos()}, func(at splice.Span) {
		r.X.Response.Segments = append(r.X.Response.Segments, core.Segment{
			Role: core.RoleTool, Kind: core.KindOther, Depth: 1, Message: -1, Part: -1, Field: field, Span: at,
		})
	})
}
