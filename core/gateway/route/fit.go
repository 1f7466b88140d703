package route

import "github.com/headgate-dev/headgate/core"

// Skip is a target that was left out of a plan, and why.
type Skip struct {
	Target core.TargetRef
	Reason *core.Error
}

// Fit leaves out the targets that a request cannot be sent to. fits gives the
// reason against a target, nil when there is none. The plan is returned as it is
// when all fit; otherwise the rest is a new slice.
func Fit(plan []core.TargetRef, fits func(*core.TargetRef) *core.Error) (rest []core.TargetRef, skipped []Skip) {
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

// Needs is what a request asks of a provider's models.
type Needs struct {
	Tools  bool
	Images bool
	Schema bool // an answer that meets a JSON Schema
	Stream bool
}

// NeedsOf reads them from what the scan has found.
func NeedsOf(h *core.Head) Needs {
	return Needs{Tools: len(h.Tools) > 0, Images: h.Images, Schema: h.Format == core.FormatSchema, Stream: h.Stream}
}

// Missing gives the refusal of a provider that lacks something, nil when it has
// it all. label is the provider's name as people write it. Param is as the chat
// shape spells it.
func (n Needs) Missing(label string, c core.Capabilities) *core.Error {
	switch {
	case n.Tools && !c.ToolCalls:
		return lacksError("tools", label+" cannot call tools; remove them or choose another model")
	case n.Images && !c.Vision:
		return lacksError("messages", label+" cannot read images; remove them or choose another model")
	case n.Schema && !c.StructuredOutputs:
		return lacksError("response_format", label+" cannot answer by a JSON Schema; remove it or choose another model")
	case n.Stream && !c.Streaming:
		return lacksError("stream", label+" cannot stream its answers; remove stream or choose another model")
	}
	return nil
}
