package a2a

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Errors of an agent's answer. They contain no bytes of it.
var (
	errNotObject  = errors.New("the answer is not a JSON-RPC message")
	errVersion    = errors.New("the answer is not of JSON-RPC 2.0")
	errNoResponse = errors.New("the answer is not a response")
	errOtherID    = errors.New("the answer has the id of another request")
	errNoResult   = errors.New(`"result" of the answer is not what the method returns`)
	errNoFailure  = errors.New(`"error" of the answer has no integer "code" or no "message"`)
	errPart       = errors.New("a part of the answer is not an object")
	errNoCard     = errors.New("the card of the agent has no name")
)

// ScanResponse checks the response to the call, or a fetched card, finds its texts and fills c.Answer.
func (c *Call) ScanResponse(x *core.Exchange) error {
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	c.Answer = Answer{}
	r := response{Response: scan.NewResponse(x), c: c}
	if c.Notification {
		r.S.Reset(r.Doc)
		r.readResult()
		r.S.End()
		return errors.Join(r.S.Err(), r.err)
	}
	if c.Card {
		r.S.Reset(r.Doc)
		r.readCard()
		r.S.End()
		return errors.Join(r.S.Err(), r.err)
	}
	if err := scan.OpenObject(r.S, r.Doc, errNotObject); err != nil {
		return err
	}
	e := envelope{c: c}
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "result":
			e.hasResult = true
			r.readResult()
		case "error":
			e.hasError = true
			r.readFailure()
		default:
			if !e.read(r.S, r.Doc, key) {
				r.addLeaves(key, core.KindToolResult)
			}
		}
	}
	r.S.End()
	if err := r.S.Err(); err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	return r.err
}

// envelope is what surrounds a result.
type envelope struct {
	c                           *Call
	isVersion, hasMethod        bool
	hasID, sameID               bool
	hasResult, hasError, isNull bool
}

// read reads a member if it is one of the envelope.
func (e *envelope) read(s *splice.Scanner, doc, key []byte) bool {
	switch string(key) {
	case "jsonrpc":
		e.isVersion = scan.ReadAlias(s, doc) == "2.0"
	case "id":
		if at := s.Skip(); s.Err() == nil {
			raw := doc[at.Start:at.End]
			e.hasID, e.isNull = true, string(raw) == "null"
			e.sameID = bytes.Equal(raw, e.c.ID)
		}
	case "method":
		e.hasMethod = true
		s.Skip()
	default:
		return false
	}
	return true
}

// check reports what is wrong with a message as a whole. Agents may send an error before they know the id.
func (e *envelope) check() error {
	switch {
	case !e.isVersion:
		return errVersion
	case e.hasMethod, e.hasResult && e.hasError, !e.hasResult && !e.hasError && !e.c.deletesPush():
		return errNoResponse
	case e.hasID && !e.sameID && !(e.isNull && e.hasError), !e.hasID && !e.hasError:
		return errOtherID
	}
	return nil
}

// response is the state of one scan.
type response struct {
	scan.Response
	c   *Call
	err error // the first error besides syntax errors
}

func (r *response) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *response) addLeaves(key []byte, kind core.SegmentKind) {
	leaves.Add(&r.X.Response, r.S, r.Doc, zerocopy.String(key), newAgentPlace(kind))
}

// readResult reads the result of the call's method.
func (r *response) readResult() {
	if r.c.Op == GetCard {
		r.readCard()
		return
	}
	if r.c.Op == PushConfig { // an object, a list of them, or nothing
		r.addLeaves([]byte("result"), core.KindToolResult)
		return
	}
	if r.S.Kind() != splice.Object {
		r.addLeaves([]byte("result"), core.KindToolResult)
		r.fail(errNoResult)
		return
	}
	f := found{}
	r.readObject(&f)
	if !f.isResultOf(r.c) {
		r.fail(errNoResult)
	}
}

// readCard reads the card of an agent: it describes the agent to models.
func (r *response) readCard() {
	if r.S.Kind() != splice.Object {
		r.addLeaves([]byte("card"), core.KindDefinition)
		r.fail(errNoCard)
		return
	}
	named := false
	for r.S.Enter(); r.S.Next(); {
		key := r.S.Key()
		named = named || string(key) == "name" && r.S.Kind() == splice.String
		r.addLeaves(key, core.KindDefinition)
	}
	if !named {
		r.fail(errNoCard)
	}
}

// found are the members of a result that determine its type.
type found struct{ id, status, parts, artifact, inner bool }

// isResultOf reports whether the call's method returns results of this type.
func (f *found) isResultOf(c *Call) bool {
	isTask, isMessage := f.id && f.status, f.parts
	switch {
	case c.Notification: // agents of version 1.0 may notify clients of 0.3 in either form
		return isTask || isMessage || f.status || f.artifact || f.inner
	case c.Op == GetTask || c.Op == CancelTask:
		return isTask
	case c.Version == Version10:
		return f.inner
	case c.Op.Streams():
		return isTask || isMessage || f.status || f.artifact
	}
	return isTask || isMessage
}

// note notes a member.
func (f *found) note(name string, kind splice.Kind) {
	switch name {
	case "id":
		f.id = f.id || kind == splice.String
	case "status":
		f.status = f.status || kind == splice.Object
	case "parts":
		f.parts = f.parts || kind == splice.Array
	case "artifact":
		f.artifact = f.artifact || kind == splice.Object
	case "task", "message", "statusUpdate", "artifactUpdate":
		f.inner = f.inner || kind == splice.Object
	}
}

// isStructure reports whether an object, or the objects of a list, under a name are read by the same rules as a result.
func isStructure(name string, kind splice.Kind) bool {
	switch name {
	case "task", "message", "status", "artifact", "statusUpdate", "artifactUpdate":
		return kind == splice.Object
	case "history", "artifacts":
		return kind == splice.Array
	}
	return false
}

// readObject reads a task, a message, a status, an artifact or an update.
func (r *response) readObject(f *found) {
	for r.S.Enter(); r.S.Next(); {
		key, kind := r.S.Key(), r.S.Kind()
		name := string(key)
		if f != nil {
			f.note(name, kind)
		}
		switch {
		case name == "parts" && kind == splice.Array:
			r.readParts()
		case isStructure(name, kind) && kind == splice.Object:
			r.readObject(nil)
		case isStructure(name, kind):
			for r.S.Enter(); r.S.Next(); {
				if r.S.Kind() == splice.Object {
					r.readObject(nil)
				} else {
					r.addLeaves([]byte(name), core.KindToolResult)
				}
			}
		default:
			r.addLeaves(key, core.KindToolResult)
		}
	}
}

func (r *response) readParts() {
	p := parts{
		s: r.S, doc: r.Doc, body: &r.X.Response, place: newAgentPlace(core.KindToolResult), dataKind: core.KindToolResult, lastText: -1,
		file: func(i int, media string, place scan.Place, at splice.Span) {
			if typ, ok := r.InsertFile(i, "parts", media, place, at); !ok && r.c.Answer.Opaque == "" {
				r.c.Answer.Opaque = formatOpaqueName(typ)
			}
		},
		address: func(string) {}, // a link: the client decides whether to follow it
		broken:  func() { r.fail(errPart) },
	}
	p.readAll()
}

// readFailure reads the error of a response. Models read its message and its data.
func (r *response) readFailure() {
	r.c.Answer.Failed = true
	if r.S.Kind() != splice.Object {
		r.addLeaves([]byte("error"), core.KindToolResult)
		r.fail(errNoFailure)
		return
	}
	code, message := false, false
	for r.S.Enter(); r.S.Next(); {
		key, kind := r.S.Key(), r.S.Kind()
		code = code || string(key) == "code" && kind == splice.Number
		message = message || string(key) == "message" && kind == splice.String
		r.addLeaves(key, core.KindToolResult)
	}
	if !code || !message {
		r.fail(errNoFailure)
	}
}
