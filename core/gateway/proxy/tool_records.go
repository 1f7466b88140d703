package proxy

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// addTo adds what a GATEWAY_REQUEST says of the message. Its arguments are there as a digest alone.
func (t *toolCall) addTo(p *audit.Payload) {
	if t.server == nil { // the name in the path is whatever the client has sent
		return
	}
	p.Str("mcp_server", t.name)
	p.Opt("mcp_era", t.Era.String())
	switch {
	case t.ends:
		p.Str("mcp_method", "session/end")
	case t.KnowsMethod():
		p.Str("mcp_method", t.Method)
	}
	if len(t.call.x.Head.Tools) > 0 {
		p.Str("mcp_tool", t.server.RecordedTool(t.Target))
	}
	p.Opt("arguments_sha256", t.digest)
}

// recordedName returns the name of the server or its tool for records and logs.
func (t *toolCall) recordedName() string {
	switch {
	case t.server == nil:
		return ""
	case len(t.call.x.Head.Tools) == 0:
		return tools.Name(t.name, "")
	}
	return tools.Name(t.name, t.server.RecordedTool(t.Target))
}

// learnTool notes that the server has the tool, once it has answered a call of it.
func (t *toolCall) learnTool() {
	if t.Method != mcp.MethodCallTool || t.Answer.Failed || t.Answer.IsError {
		return
	}
	t.server.Learn(t.Target)
	t.call.x.Target.Model = t.recordedName()
}

// cost is the price of the call, if the server may have served it.
func (t *toolCall) cost() (sum int64) {
	if t.Method != mcp.MethodCallTool || t.Answer.Failed {
		return 0
	}
	for i := range t.call.x.Attempts {
		if a := &t.call.x.Attempts[i]; a.Lost || a.Status >= 200 && a.Status < 300 {
			sum += t.server.Cost(t.Target)
		}
	}
	return sum
}

// noteOutcome counts the message for the pages of servers, if it was sent.
func (t *toolCall) noteOutcome(e *core.Error) {
	c := t.call
	if t.server == nil || len(c.x.Attempts) == 0 || c.x.Outcome.Kind == core.ClientGone {
		return
	}
	tool, code := "", ""
	if e != nil && c.x.Outcome.Kind == core.UpstreamErr { // a JSON-RPC error is an answer too
		code = e.Code
	}
	if t.Method == mcp.MethodCallTool && t.server.Knows(t.Target) {
		tool = t.Target
	}
	t.server.NoteOutcome(code, tool, t.cost(), c.readTime())
}
