package proxy

import (
	"bytes"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
)

// joinsTools reports whether the exchange is one with a model that may call tools, of a gateway that has servers of tools.
func (c *call) joinsTools() bool {
	return c.proxy.Offers != nil && len(c.x.Head.Tools) > 0 && !c.snap.Servers.IsEmpty() && c.peer == nil && c.grant == nil
}

// joinToolTrace makes a request that returns the result of a tool's call a part of the trace in which a model has asked
// for it.
func (c *call) joinToolTrace() {
	if !c.joinsTools() {
		return
	}
	if to, ok := c.proxy.Offers.FindResult(c.x.Principal, findNewestResult(&c.x.Request), c.x.Received); ok {
		c.continueTrace(to)
	}
}

// noteOffer remembers the tools that a model is about to be offered.
func (c *call) noteOffer() {
	if c.joinsTools() {
		c.proxy.Offers.AddOffer(c.x.Principal, c.x.Head.Tools, c.x.Received)
	}
}

// noteCalls remembers the calls of tools in a whole answer that the client is about to get.
func (c *call) noteCalls(body []byte) {
	if c.joinsTools() {
		c.addCalls(body)
	}
}

// noteStreamedCalls remembers the calls of tools in events that the client is about to get.
func (c *call) noteStreamedCalls(events []byte) {
	if !c.joinsTools() || !bytes.Contains(events, []byte(`"name"`)) {
		return
	}
	for line := range bytes.Lines(events) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			c.addCalls(data)
		}
	}
}

func (c *call) addCalls(doc []byte) {
	if found := c.proxy.Offers.FindCalls(doc, c.x.Head.Tools); len(found) > 0 {
		c.proxy.Offers.AddCalls(c.x.Principal, found, offered.Trace{ID: c.x.Trace, Parent: c.trace.Parent()}, c.readTime())
	}
}

// continueTrace makes the exchange a part of a trace, unless the client has named one itself.
func (c *call) continueTrace(to offered.Trace) {
	if c.x.Trace != c.x.ID {
		return
	}
	if c.trace != nil && to.Parent != "" { // the span that was begun is never ended, and so never exported
		c.trace = c.proxy.Telemetry.StartTrace(http.Header{"Traceparent": {to.Parent}}, &c.x)
	}
	c.x.Trace = to.ID
	c.w.Header()["X-Trace-Id"] = c.wrapHeaderValue(c.x.Trace)
}

// resultWindow is how far from a result its id is looked for, in bytes.
const resultWindow = 512

// findNewestResult returns the call id of the last tool result in a request, or "" if the shape has no such ids.
func findNewestResult(p *core.Payload) string {
	for i := len(p.Segments) - 1; i >= 0; i-- {
		s := &p.Segments[i]
		if s.Kind != payload.KindToolResult {
			continue
		}
		before := p.Raw[max(0, s.Span.Start-resultWindow):s.Span.Start]
		after := p.Raw[s.Span.End:min(len(p.Raw), s.Span.End+resultWindow)]
		for _, key := range [...]string{`"tool_call_id"`, `"tool_use_id"`, `"call_id"`} {
			if at := bytes.LastIndex(before, []byte(key)); at >= 0 {
				return readID(before[at+len(key):])
			}
			if at := bytes.Index(after, []byte(key)); at >= 0 {
				return readID(after[at+len(key):])
			}
		}
		return ""
	}
	return ""
}

// readID returns the string value of a key, or "".
func readID(doc []byte) string {
	doc, ok := bytes.CutPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte(":"))
	if !ok {
		return ""
	}
	if doc, ok = bytes.CutPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte(`"`)); !ok {
		return ""
	}
	id, _, ok := bytes.Cut(doc, []byte(`"`))
	if !ok || bytes.IndexByte(id, '\\') >= 0 {
		return ""
	}
	return string(id)
}

// joinTrace makes a call of a tool a part of the client's trace, if the message names one in its metadata, and otherwise of the
// trace in which a model has asked for it.
func (t *toolCall) joinTrace() {
	c := t.call
	if c.proxy.Offers == nil || t.Method != mcp.MethodCallTool {
		return
	}
	if parent := t.findStatedParent(); parent != "" {
		if c.trace != nil && c.x.Trace == c.x.ID {
			if trace := c.proxy.Telemetry.StartTrace(http.Header{"Traceparent": {parent}}, &c.x); trace.ID() != c.x.ID {
				c.continueTrace(offered.Trace{ID: trace.ID(), Parent: parent})
			}
		}
		return
	}
	if c.x.Trace != c.x.ID {
		return
	}
	if _, requested := c.proxy.Offers.FindUse(c.x.Principal, t.Target, c.x.Received); !requested {
		return // a client that asks no model through the gateway does not pay for comparing arguments
	}
	args := c.proxy.Offers.SumArgs(findArguments(&c.x.Scanner, c.x.Request.Raw))
	if to, ok := c.proxy.Offers.ClaimCall(c.x.Principal, t.Target, args, c.x.Received); ok {
		c.continueTrace(to)
	}
}

// findStatedParent returns the traceparent in the metadata of the message, where clients that are instrumented put it.
func (t *toolCall) findStatedParent() string {
	s, raw := &t.call.x.Scanner, t.call.x.Request.Raw
	if !jsonrpc.Seek(s, raw, "params", "_meta", "traceparent") || s.Kind() != splice.String {
		return ""
	}
	at, _ := s.String()
	return string(raw[at.Start:at.End])
}

// findArguments returns the arguments of a message as they are spelled; nil if it has none.
func findArguments(s *splice.Scanner, raw []byte) []byte {
	if !jsonrpc.Seek(s, raw, "params", "arguments") {
		return nil
	}
	at := s.Skip()
	if s.Err() != nil {
		return nil
	}
	return raw[at.Start:at.End]
}
