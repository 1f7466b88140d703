package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// budgets maps an effort to a thinking budget in tokens.
var budgets = map[llm.Effort]int64{
	llm.EffortLow: 1024, llm.EffortMedium: 4096, llm.EffortHigh: 16384, llm.EffortXHigh: 32000,
}

// minTopP is the lowest top_p that thinking allows.
const minTopP = 0.95

// setBudget sets the thinking budget from the effort. A Messages client has set thinking
// itself.
func (e *encoder) setBudget() *core.Error {
	r := e.r
	if r.Thinking != nil || r.Effort == "" {
		return nil
	}
	budget := budgets[r.Effort]
	if !e.t.Effort || budget > 0 && (e.forcesCall() || !e.t.Adaptive && e.lacksThinking()) {
		r.RecordDropped("reasoning_effort")
		return nil
	}
	if budget > 0 {
		if !isInRange(r.Temperature, 1, 1) {
			return scan.NewUnsupportedError("temperature",
				e.t.Label+` takes no "temperature" other than 1 with a reasoning effort; leave out one of the two`)
		}
		if !isInRange(r.TopP, minTopP, 1) {
			return scan.NewUnsupportedError("top_p", e.t.Label+` takes no "top_p" below 0.95 with a reasoning effort; leave out one of the two`)
		}
	}
	e.budget = budget
	return nil
}

// forcesCall reports whether the request forces a call. A thinking model cannot be
// forced, and the client depends on the call.
func (e *encoder) forcesCall() bool {
	m := e.r.Choice.Mode
	return len(e.r.Tools) > 0 && (m == llm.ChooseRequired || m == llm.ChooseNamed)
}

// lacksThinking reports whether the last turn has open calls but no thinking of
// Anthropic. Anthropic rejects thinking in such a turn, and most dialects cannot carry
// it.
func (e *encoder) lacksThinking() bool {
	calls, answered := false, false // the last messages of the assistant call tools; they have been seen
	for i := len(e.r.Messages) - 1; i >= 0; i-- {
		m := &e.r.Messages[i]
		if m.Role == llm.User && answered {
			break
		}
		if m.Role != llm.Assistant {
			continue
		}
		for k := range m.Parts {
			switch p := &m.Parts[k]; {
			case p.Kind == llm.ReasoningPart && p.Reasoning.Vendor == vendor && (p.Reasoning.Signature != "" || p.Reasoning.Encrypted != ""):
				return false
			case p.Kind == llm.CallPart && !answered:
				calls = true
			}
		}
		answered = true
	}
	return calls
}

// isInRange reports whether a number is within bounds or omitted.
func isInRange(n llm.Number, lo, hi float64) bool {
	if n == "" {
		return true
	}
	v, err := strconv.ParseFloat(string(n), 64)
	return err == nil && lo <= v && v <= hi
}

// appendThinking appends thinking, effort and the format of the answer.
func (e *encoder) appendThinking() {
	r := e.r
	switch {
	case r.Thinking != nil:
		e.b = append(append(e.b, `,"thinking":`...), r.Thinking...)
	case (r.Effort == llm.EffortNone || r.Effort == llm.EffortMinimal) && e.t.Effort && e.t.ThinkingOff != "": // it is on by default
		e.b = append(e.b, `,"thinking":{"type":`...)
		e.appendString(e.t.ThinkingOff)
		e.b = append(e.b, '}')
	case e.budget > 0 && e.t.Adaptive: // newer models keep their thoughts to themselves unless asked
		e.b = append(e.b, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	case e.budget > 0:
		e.b = append(e.b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		e.b = strconv.AppendInt(e.b, e.budget, 10)
		e.b = append(e.b, '}')
	}
	effort, schema := r.Effort != "" && (r.Thinking != nil || e.budget > 0 && e.t.Adaptive), e.isStrictAnswer()
	if !effort && !schema {
		return
	}
	e.b = append(e.b, `,"output_config":{`...)
	if effort {
		e.b = append(e.b, `"effort":`...)
		e.appendString(string(r.Effort))
	}
	if schema {
		if effort {
			e.b = append(e.b, ',')
		}
		e.b = append(append(e.b, `"format":{"type":"json_schema","schema":`...), r.Format.Schema...)
		e.b = append(e.b, '}')
		if r.Format.Description != "" {
			r.RecordDropped("response_format.json_schema.description")
		}
	}
	e.b = append(e.b, '}')
}
