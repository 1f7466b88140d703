package policy

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// readAgent stores the facts of a request to an agent.
func (w *work) readAgent(x *core.Exchange, needs dsl.Attrs) {
	w.f.Agent = dsl.AgentCall{}
	if x.Head.Task != llm.TaskAgent {
		return
	}
	w.f.Agent.Name = strings.TrimPrefix(x.Head.Model, "a2a/")
	if !needs.Has(dsl.AgentMethod) {
		return
	}
	if w.f.Agent.Method = "card"; jsonrpc.Seek(&w.scan, x.Request.Raw, "method") {
		w.f.Agent.Method = scan.ReadText(&w.scan, x.Request.Raw)
	}
}
