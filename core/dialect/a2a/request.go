package a2a

import (
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Scan checks one message of a client and finds its texts. It reads the protocol's headers from x.Request.Header.
func (c *Call) Scan(x *core.Exchange) *core.Error {
	c.Reset()
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	r := request{Request: scan.NewRequest(x, 0), c: c}
	r.Place = scan.Place{Role: core.RoleUser, Kind: core.KindOther, Message: -1, Part: -1}
	r.readBody()
	if err := r.S.Err(); err != nil {
		return scan.NewSyntaxError(err)
	}
	if r.envelope != nil {
		return r.envelope
	}
	if e := c.resolveVersion(x.Request.Header); e != nil {
		return e
	}
	if r.Err != nil {
		return r.Err
	}
	x.Head.Stream = c.Op.Streams()
	return r.checkParams()
}

// request is the state of one scan. Its Err is that of the params, which is reported last.
type request struct {
	scan.Request
	c        *Call
	envelope *core.Error

	hasVersion, hasMessage, hasParts, hasTask, hasTaskID bool
}

func (r *request) rejectMessage(param, public string) {
	if r.envelope == nil {
		r.envelope = jsonrpc.NewInvalidMessage(param, public)
	}
}

func (r *request) readBody() {
	if kind := r.S.Kind(); kind != splice.Object {
		r.S.Skip()
		r.S.End()
		if kind == splice.Array {
			r.rejectMessage("", "the body is a batch, which the protocol does not have; send one message per request")
		} else {
			r.rejectMessage("", "the body must be a JSON-RPC request, which is an object")
		}
		return
	}
	for r.S.Enter(); r.S.Next(); {
		name := string(r.S.Key())
		r.checkSpelling(name)
		r.readMember(name)
	}
	r.S.End()
	switch {
	case !r.hasVersion:
		r.rejectMessage("jsonrpc", `"jsonrpc" is missing; it must be "2.0"`)
	case r.c.Method == "":
		r.rejectMessage("method", `"method" is missing`)
	case len(r.c.ID) == 0:
		r.rejectMessage("id", `"id" is missing; the protocol has no notifications`)
	}
}

func (r *request) readMember(name string) {
	switch name {
	case "jsonrpc":
		if r.hasVersion = true; scan.ReadAlias(r.S, r.Doc) != "2.0" {
			r.rejectMessage("jsonrpc", `"jsonrpc" must be "2.0"`)
		}
	case "id":
		kind := r.S.Kind()
		if at := r.S.Skip(); r.S.Err() == nil {
			if raw := r.Doc[at.Start:at.End]; jsonrpc.IsID(kind, raw) {
				r.c.ID = append(r.c.ID[:0], raw...)
			} else {
				r.rejectMessage("id", jsonrpc.WantID)
			}
		}
	case "method":
		if r.S.Kind() != splice.String {
			r.rejectMessage("method", `"method" must be a string`)
		}
		r.c.Method = scan.ReadText(r.S, r.Doc)
	case "params":
		if r.EnterObject("params") {
			for r.S.Next() {
				key := r.S.Key()
				r.checkSpelling(string(key))
				r.readParam(key)
			}
		}
	case "result", "error":
		r.S.Skip()
		r.rejectMessage(name, "clients send requests, not responses")
	default:
		r.AddLeaves(&leaves, name, r.Place)
	}
}

func (r *request) readParam(key []byte) {
	switch name := string(key); name {
	case "message":
		r.readMessage()
	case "configuration":
		if !r.EnterObject("params.configuration") {
			return
		}
		for r.S.Next() {
			key := r.S.Key()
			r.checkSpelling(string(key))
			if name := string(key); (name == "pushNotificationConfig" || name == "taskPushNotificationConfig") && r.S.Kind() != splice.Null {
				r.c.Pushes = true
			}
			r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
		}
	case "tenant":
		if at := r.S.Pos(); scan.ReadAlias(r.S, r.Doc) != "" || r.S.Err() == nil && r.Doc[at] != '"' && r.Doc[at] != 'n' {
			r.Fail(scan.NewInvalid("params.tenant", `"tenant" must be empty: the gateway serves one tenant of the agent`))
		}
	case "id", "taskId":
		r.hasTask = r.hasTask || r.S.Kind() == splice.String
		r.hasTaskID = r.hasTaskID || name == "taskId" && r.S.Kind() == splice.String
		r.AddLeaves(&leaves, name, r.Place)
	default:
		r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
	}
}

// readMessage reads the client's message to the agent.
func (r *request) readMessage() {
	if r.S.Kind() != splice.Object {
		r.RejectType("params.message", "an object")
		return
	}
	r.hasMessage = true
	r.X.Head.Messages = 1
	for r.S.Enter(); r.S.Next(); {
		key := r.S.Key()
		r.checkSpelling(string(key))
		if string(key) != "parts" {
			r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
			continue
		}
		if r.S.Kind() != splice.Array {
			r.RejectType("params.message.parts", "an array of parts")
			continue
		}
		p := parts{
			s: r.S, doc: r.Doc, body: &r.X.Request, place: scan.Place{Role: core.RoleUser, Kind: core.KindText, Message: 0, Part: -1},
			dataKind: core.KindToolArgs, lastText: -1,
			file: func(i int, media string, place scan.Place, at splice.Span) {
				r.X.Head.Images = r.X.Head.Images || scan.IsPicture(media)
				r.InsertFile(i, "params.message.parts", "parts", media, place, at)
			},
			address: func(media string) { r.RecordUnsupportedFile("params.message.parts", media) },
			broken:  func() { r.Fail(scan.NewInvalid("params.message.parts", "invalid type for a part: expected an object")) },
		}
		r.hasParts = p.readAll() > 0
	}
}

// resolveVersion determines the version that the client speaks. If the client states none, its method decides: the
// specification then assumes 0.3, but some clients of 1.0 do not state their version.
func (c *Call) resolveVersion(h http.Header) *core.Error {
	m, known := methods[c.Method]
	stated := h[HeaderVersion]
	if len(stated) > 1 {
		return scan.NewInvalid("A2A-Version", "the header A2A-Version is sent more than once")
	}
	version := ""
	if len(stated) == 1 {
		version = cutVersion(strings.TrimSpace(stated[0]))
	}
	switch {
	case version != "" && version != Version03 && version != Version10:
		return &core.Error{
			Kind: core.InvalidRequest, Code: CodeVersion, Param: "A2A-Version",
			Public: "the version of the protocol is not supported; the gateway reads 1.0 and 0.3",
		}
	case !known, version != "" && version != m.version:
		return &core.Error{
			Kind: core.NotFound, Code: jsonrpc.CodeMethodNotFound, Param: "method", Public: "the gateway does not know this method in this version of the protocol",
		}
	}
	c.Op, c.Version = m.op, m.version
	return nil
}

// cutVersion returns a version without its patch number, which is ignored (specification, section 3.6).
func cutVersion(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// checkParams checks that the params hold what the operation needs.
func (r *request) checkParams() *core.Error {
	switch r.c.Op {
	case Send, Stream:
		if !r.hasMessage {
			return scan.NewMissing("params.message")
		}
		if !r.hasParts {
			return scan.NewMissing("params.message.parts")
		}
	case GetTask, CancelTask, Subscribe:
		if !r.hasTask {
			return scan.NewMissing("params.id")
		}
	case PushConfig:
		if !r.hasTaskID && (r.c.Version == Version10 || r.c.setsPush()) {
			return scan.NewMissing("params.taskId")
		}
		if !r.hasTask {
			return scan.NewMissing("params.id")
		}
	}
	return nil
}

// KnowsMethod reports whether the protocol defines the method. Other methods are arbitrary client text.
func (c *Call) KnowsMethod() bool { return c.Op != 0 }
