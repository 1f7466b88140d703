package mcp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// maxDepth is the number of arrays and objects that may be open at once. Schemas of tools, which
// nest deepest, stay below 40.
const maxDepth = 128

// Scan checks one message of a client and finds its texts. It reads the headers that have to
// agree with the body from x.Request.Header.
func (c *Call) Scan(x *core.Exchange) *core.Error { return c.scanMessage(x, false) }

// scanMessage scans a message. The headers of one that is stored are not known.
func (c *Call) scanMessage(x *core.Exchange, stored bool) *core.Error {
	c.Reset()
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	r := request{Request: scan.NewRequest(x, marks), c: c}
	r.Place = fromClient
	r.readMessage()
	if err := r.S.Err(); err != nil {
		return scan.NewSyntaxError(err)
	}
	if r.envelope != nil {
		return r.envelope
	}
	if stored {
		r.assumeEra()
	} else if e := r.checkHeaders(x.Request.Header); e != nil {
		return e
	}
	if e := r.checkMethod(); e != nil {
		return e
	}
	return r.Err
}

// request is the state of one scan. Its Err is that of the params, which is reported last, after errors of the message
// and of its version and headers.
type request struct {
	scan.Request
	c        *Call
	envelope *core.Error

	version       string // in _meta
	hasParams     bool
	hasTarget     bool
	hasCapability bool // _meta states the client's capabilities
}

// refuseMessage reports a message that is not valid JSON-RPC.
func (r *request) refuseMessage(param, public string) {
	if r.envelope == nil {
		r.envelope = jsonrpc.NewInvalidMessage(param, public)
	}
}

func (r *request) readMessage() {
	switch r.S.Kind() {
	case splice.Object:
	case splice.Array:
		r.S.Skip()
		r.S.End()
		r.refuseMessage("", "the body is a batch; send one message per request")
		return
	default:
		r.S.Skip()
		r.S.End()
		r.refuseMessage("", "the body must be a JSON-RPC message, which is an object")
		return
	}
	var has members
	r.S.Enter()
	for r.S.Next() {
		r.readMember(r.S.Key(), &has)
	}
	if r.S.End() {
		r.resolveForm(has)
		if has.late {
			r.readLateParams()
		}
	}
}

// members are those of a message.
type members struct {
	version, method, params, result, failure bool
	late                                     bool // params precede the method, which determines how to read them
}

func (r *request) readMember(key []byte, has *members) {
	switch string(key) {
	case "jsonrpc":
		has.version = true
		if scan.ReadAlias(r.S, r.Doc) != "2.0" {
			r.refuseMessage("jsonrpc", `"jsonrpc" must be "2.0"`)
		}
	case "id":
		r.readID()
	case "method":
		has.method = true
		if r.S.Kind() != splice.String {
			r.S.Skip()
			r.refuseMessage("method", `"method" must be a string`)
			return
		}
		r.c.Method = strings.Clone(scan.ReadAlias(r.S, r.Doc))
		r.c.method = methods[r.c.Method]
	case "params":
		has.params = true
		if has.late = !has.method; has.late {
			r.S.Skip()
			return
		}
		r.readParams()
	case "result":
		has.result = true
		r.AddLeaves(&leaves, "result", r.Place)
	case "error":
		has.failure = true
		r.AddLeaves(&leaves, "error", r.Place)
	default:
		r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
	}
}

// readID reads an id.
func (r *request) readID() {
	kind := r.S.Kind()
	at := r.S.Skip()
	if r.S.Err() != nil {
		return
	}
	raw := r.Doc[at.Start:at.End]
	if !jsonrpc.IsID(kind, raw) {
		r.refuseMessage("id", jsonrpc.WantID)
		return
	}
	r.c.ID = append(r.c.ID[:0], raw...)
}

// resolveForm determines the kind of the message once all members are known.
func (r *request) resolveForm(has members) {
	c := r.c
	switch {
	case !has.version:
		r.refuseMessage("jsonrpc", `"jsonrpc" is missing; it must be "2.0"`)
	case has.method && (has.result || has.failure), has.result && has.failure:
		r.refuseMessage("", `a message has one of "method", "result" and "error"`)
	case has.method && len(c.ID) > 0:
		c.Form = Request
	case has.method:
		c.Form = Notification
	case !has.result && !has.failure:
		r.refuseMessage("method", `"method" is missing`)
	case len(c.ID) == 0:
		r.refuseMessage("id", `"id" is missing; a response repeats the id of its request`)
	case has.result:
		c.Form = Result
	default:
		c.Form = Failure
	}
	if has.params && !has.method {
		r.refuseMessage("params", `"params" belongs to a request or a notification`)
	}
}

// readLateParams reads params that precede the method.
func (r *request) readLateParams() {
	r.S.Reset(r.Doc)
	r.S.Enter()
	for r.S.Next() {
		if string(r.S.Key()) == "params" {
			r.readParams()
			continue
		}
		r.S.Skip()
	}
	slices.SortStableFunc(r.X.Request.Segments, func(a, b core.Segment) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// checkMethod checks that the era has the method, and that the params name a target.
func (r *request) checkMethod() *core.Error {
	c := r.c
	if c.Form.IsResponse() {
		if c.Era == Modern {
			return jsonrpc.NewInvalidMessage("", "in "+c.Version+" clients do not send responses; retry the request with `inputResponses`")
		}
		return nil
	}
	switch {
	case c.method.eras&c.Era == 0:
		return &core.Error{
			Kind: core.NotFound, Code: CodeMethodNotFound, Param: "method",
			Public: "the gateway does not know this method in the " + c.Era.String() + " era of the protocol",
		}
	case c.method.isNotice && c.Form == Request:
		return jsonrpc.NewInvalidMessage("id", "a notification must not have an id")
	case !c.method.isNotice && c.Form == Notification:
		return jsonrpc.NewInvalidMessage("id", "a request must have an id")
	case c.method.hasParams && !r.hasParams:
		return scan.NewMissing("params")
	case c.method.target != "" && !r.hasTarget && r.Err == nil:
		return scan.NewMissing("params." + c.method.target)
	}
	return nil
}
