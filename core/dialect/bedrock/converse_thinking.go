package bedrock

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// budgets maps an effort to a thinking budget in tokens.
var budgets = map[llm.Effort]int64{llm.EffortLow: 1024, llm.EffortMedium: 4096, llm.EffortHigh: 16384, llm.EffortXHigh: 32000}

// minTopP is the lowest top_p that thinking allows.
const minTopP = 0.95

// setBudget sets the thinking budget from the effort.
func (e *encoder) setBudget() *core.Error {
	r := e.R
	if r.Effort == "" {
		return nil
	}
	budget := budgets[r.Effort]
	switch {
	case !e.T.Effort:
		r.RecordDropped("reasoning_effort")
		return nil
	case budget == 0:
		return nil
	case r.Temperature != "" && convertNumber(r.Temperature) != 1:
		return scan.NewUnsupportedError("temperature", e.T.Label+" thinks at temperature 1 only: leave temperature or the reasoning effort out")
	case r.TopP != "" && convertNumber(r.TopP) < minTopP:
		return scan.NewUnsupportedError("top_p", e.T.Label+" thinks with a top_p of 0.95 or more: raise top_p, or leave it or the reasoning effort out")
	case !canResume(r.Messages):
		r.RecordDropped("reasoning_effort")
		return nil
	}
	e.budget = budget
	return nil
}

func convertNumber(n llm.Number) float64 {
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// canResume reports whether the model can think in this turn. A turn with open calls but
// no reasoning started without thinking, and the API rejects a change within a turn.
func canResume(ms []llm.Message) bool {
	i, waits := len(ms)-1, false
	for ; i >= 0 && ms[i].Role != llm.Assistant; i-- {
		waits = waits || ms[i].Role == llm.ToolRole
	}
	if !waits {
		return true
	}
	for ; i >= 0 && ms[i].Role == llm.Assistant; i-- {
		for _, p := range ms[i].Parts {
			if p.Kind == llm.ReasoningPart && canReturn(p.Reasoning) {
				return true
			}
		}
	}
	return false
}

// canReturn reports whether reasoning can be sent back: it is of this vendor and signed
// or encrypted.
func canReturn(g *llm.Reasoning) bool {
	return g.Vendor == vendor && (g.Signature != "" || g.Encrypted != "")
}
