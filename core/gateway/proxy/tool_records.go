package proxy

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// fillRequestRecord adds what a GATEWAY_REQUEST says of the message. Its arguments are there as a digest alone.
func (t *toolCall) fillRequestRecord(p *audit.Payload) {
	if t.server == nil { // the name in the path is whatever the client has sent
		return
	}
	p.AddStr("mcp_server", t.name)
	p.AddOptionalStr("mcp_era", t.Era.String())
	switch {
	case t.ends:
		p.AddStr("mcp_method", "session/end")
	case t.listens:
		p.AddStr("mcp_method", "session/listen")
	case t.KnowsMethod():
		p.AddStr("mcp_method", t.Method)
	}
	if len(t.call.x.Head.Tools) > 0 {
		p.AddStr("mcp_tool", t.server.FormatRecordName(t.Target))
	}
	p.AddOptionalStr("arguments_sha256", t.digest)
	if t.call.x.Outcome.Kind == core.Answered && slices.Contains(t.call.x.Header, cacheHit) {
		p.AddStr("cache", "hit")
	}
}

// findRecordedName returns the name of the server or its tool for records and logs.
func (t *toolCall) findRecordedName() string {
	switch {
	case t.server == nil:
		return ""
	case len(t.call.x.Head.Tools) == 0:
		return tools.FormatName(t.name, "")
	}
	return tools.FormatName(t.name, t.server.FormatRecordName(t.Target))
}

// recordCalledTool notes that the server has the tool, once it has answered a call of it.
func (t *toolCall) recordCalledTool() {
	if t.Method != mcp.MethodCallTool || t.Answer.Failed || t.Answer.IsError {
		return
	}
	t.server.RecordTools(t.Target)
	t.call.x.Target.Model = t.findRecordedName()
}

// sumCost returns the price of the call, if the server may have served it.
func (t *toolCall) sumCost() (sum int64) {
	if t.Method != mcp.MethodCallTool || t.Answer.Failed {
		return 0
	}
	for i := range t.call.x.Attempts {
		if a := &t.call.x.Attempts[i]; a.Lost || a.Status >= 200 && a.Status < 300 {
			sum += t.server.PriceTool(t.Target)
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
	t.server.NoteOutcome(code, tool, t.sumCost(), c.readTime())
}
