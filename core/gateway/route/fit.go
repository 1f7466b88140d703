package route

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Skip is a target that was removed from a plan, and why.
type Skip struct {
	Target core.TargetRef
	Reason *core.Error
}

// RemoveUnfit removes the targets that cannot serve a request. fits returns why a target cannot, or nil. If all fit, plan
// itself is returned, otherwise a new slice.
func RemoveUnfit(plan []core.TargetRef, fits func(*core.TargetRef) *core.Error) (rest []core.TargetRef, skipped []Skip) {
	for i := range plan {
		reason := fits(&plan[i])
		switch {
		case reason != nil:
			if skipped == nil {
				rest = append(make([]core.TargetRef, 0, len(plan)-1), plan[:i]...)
			}
			skipped = append(skipped, Skip{plan[i], reason})
		case skipped != nil:
			rest = append(rest, plan[i])
		}
	}
	if skipped == nil {
		return plan, nil
	}
	return rest, skipped
}

// Needs are the capabilities that a request requires of a model.
type Needs struct {
	Tools  bool
	Images bool
	Schema bool // an answer that meets a JSON Schema
	Stream bool
}

// DeriveNeeds returns the needs of a scanned request.
func DeriveNeeds(h *core.Head) Needs {
	return Needs{Tools: len(h.Tools) > 0, Images: h.Images, Schema: h.Format == llm.FormatSchema, Stream: h.Stream}
}

// CheckCapabilities returns the refusal of a provider that lacks something, or nil. label is the provider's display
// name. Param is named as in the chat dialect.
func (n Needs) CheckCapabilities(label string, c Capabilities) *core.Error {
	switch {
	case n.Tools && !c.ToolCalls:
		return newLacksError("tools", label+" cannot call tools; remove them or choose another model")
	case n.Images && !c.Vision:
		return newLacksError("messages", label+" cannot read images; remove them or choose another model")
	case n.Schema && !c.StructuredOutputs:
		return newLacksError("response_format", label+" cannot answer by a JSON Schema; remove it or choose another model")
	case n.Stream && !c.Streaming:
		return newLacksError("stream", label+" cannot stream its answers; remove stream or choose another model")
	}
	return nil
}
