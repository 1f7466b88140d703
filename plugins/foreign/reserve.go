package foreign

import (
	"cmp"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// Reserve is what a call can use at most, as far as the gateway knows before it is made.
type Reserve struct {
	// Estimate is how many tokens the call will presumably read and write: what rate limits count.
	Estimate int64 `json:"estimate"`
	// Input is an upper bound of the tokens of the request.
	Input int64 `json:"input"`
	// Output is the most tokens of one answer; 0: nothing limits it yet.
	Output int64 `json:"output"`
	// Thinking is the most tokens of thinking besides those.
	Thinking int64 `json:"thinking"`
	Answers  int64 `json:"answers"`
	// Appended is how many messages were added to the request because a link asked the model again.
	Appended int64 `json:"appended"`
	// Exact says that these are the most that the call can use. Otherwise the field input_count is a closer bound of the input, and
	// a limit of the answer lowers the output.
	Exact bool `json:"exact"`
	// Cost is that of a call that is paid in other units than tokens, in 1e-10 USD; nil for calls that are paid by the token.
	Cost *int64 `json:"cost,omitempty"`
}

// EstimateReserve returns what the call of an exchange can use at most.
func (s *Services) EstimateReserve(x *core.Exchange) *Reserve {
	r := &Reserve{
		Estimate: bound.Estimate(x, s.DefaultCap), Thinking: bound.BoundThinking(x), Answers: max(x.Head.AnswersPerPrompt, 1),
		Appended: int64(len(x.Appended)),
	}
	switch {
	case x.Head.Task.IsPeer():
		cost := int64(0)
		if s.PerCall != nil && x.Target.Provider != "" {
			cost = s.PerCall(x.Target.Provider, x.Target.Model)
		}
		r.Exact, r.Answers, r.Cost = true, 0, &cost
	case x.Head.Task.IsBounded():
		r.Exact, r.Answers, r.Input, r.Output = true, 1, x.Head.MaxUsage.Input, x.Head.MaxUsage.Output
		if s.Prices != nil && x.Target.Provider != "" {
			if p := s.Prices.FindPrice(x.Target.Provider, x.Target.Model); p != nil {
				cost := min(p.ComputeCost(x.Head.MaxUsage).Total(), bound.MaxUnits)
				r.Cost = &cost
			}
		}
	default:
		r.Input = bound.BoundInput(x)
		switch x.Head.Task {
		case llm.TaskAnswer:
			r.Output = bound.BoundOutput(x, s.DefaultCap)
		case llm.TaskCompact:
			r.Output = x.Head.MaxUsage.Output
		}
	}
	return r
}

// FormatReserve returns EstimateReserve as a JSON object.
func (s *Services) FormatReserve(x *core.Exchange) []byte { return encodeJSON(s.EstimateReserve(x)) }

// StripModel returns the model that is requested now, without a provider's prefix.
func (s *Services) StripModel(x *core.Exchange) string {
	if s.Bare != nil {
		return s.Bare(x.Model())
	}
	if x.BareModel != "" && x.Model() == x.Head.Model {
		return x.BareModel
	}
	return x.Model()
}

// FindLineage returns the id that a key had before it was rotated, or its own.
func FindLineage(p *core.Principal) string { return cmp.Or(p.Lineage, p.KeyID) }

// FormatAttempts returns the calls that were made as a JSON array.
func FormatAttempts(x *core.Exchange) []byte {
	type attempt struct {
		Provider string `json:"provider"`
		Target   string `json:"target"`
		Status   int    `json:"status"` // 0: no answer
		// Cost says that the call may have cost something: it was answered, or its answer was lost.
		Cost bool `json:"cost"`
	}
	out := make([]attempt, len(x.Attempts))
	for i := range x.Attempts {
		a := &x.Attempts[i]
		out[i] = attempt{a.Target.Provider, a.Target.Model, a.Status, bound.MayCost(a)}
	}
	return encodeJSON(out)
}
