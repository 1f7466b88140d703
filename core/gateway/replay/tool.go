package replay

import (
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// ToolFacts tell stages what was known of the tool of the replayed call. They replace the pinned definitions of tools and
// the memory of what was offered to models.
type ToolFacts struct{ tool capture.Tool }

// FindAnnotations returns the annotations in the tool's trusted definition, or nil.
func (f *ToolFacts) FindAnnotations(string, string) map[string]any { return f.tool.Annotations }

// FindUse reports whether the tool had been offered to a model, and whether a model had called it.
func (f *ToolFacts) FindUse(*core.Principal, string, time.Time) (offered, requested bool) {
	return f.tool.Offered, f.tool.Requested
}

// set takes over the facts of a record.
func (f *ToolFacts) set(r *capture.Record) {
	if f == nil {
		return
	}
	f.tool = capture.Tool{}
	if r.Tool != nil {
		f.tool = *r.Tool
	}
}

// describeToolCall fills in what the endpoint of servers of tools tells the chain about a message.
func describeToolCall(x *core.Exchange, s *mcp.Stored) {
	x.Head.Task = llm.TaskTool
	if s.Method == mcp.MethodCallTool {
		x.Head.Tools = append(x.Head.Tools, s.Target)
	}
}
