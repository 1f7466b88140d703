package guardrail

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// isPeer reports whether a server of tools or an agent answers the exchange. What they say goes into the next prompt: it is what
// attackers write, and not what a model says, so that guards of requests judge it too.
func isPeer(x *core.Exchange) bool {
	return x.Head.Task == llm.TaskTool || x.Head.Task == llm.TaskAgent
}

// scanPeerText asks the guards that judge requests alone about a text of a peer's answer, as they judge a tool result
// of a request.
func (s *Stage) scanPeerText(c *check, text string, note func(g *guard, start, end int, f *finding)) {
	c.peer = true
	s.engine.runGuards(c, text, func(g *guard) bool { return g.gate == nil && !g.phases.Has(core.Response) }, func(g *guard, f finding) {
		note(g, f.start, f.end, &f)
		c.w.addSpan(g, f.start, f.end)
	})
	c.peer = false
}

// formatNotice returns the text that replaces a removed one.
func formatNotice(g *guard, seg *core.Segment) string {
	if seg.Kind == core.KindDefinition {
		return strings.Replace(g.replacement, "this tool result", "this description", 1)
	}
	return g.replacement
}
