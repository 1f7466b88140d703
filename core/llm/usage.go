// Package llm is the neutral model of a call to a language model: what a
// translation between two client shapes passes through. It imports only the
// standard library. It holds what at least two vendors can say; what only one can
// say, a translation drops and counts, or refuses.
package llm

// Usage counts the tokens of one call, by the provider's own count.
type Usage struct {
	// Reported is true when the provider gave a count at all. Without it, and
	// without an estimate, the other fields are zero and mean "unknown", not "none".
	Reported bool
	// Estimated is true when the gateway has counted, at least in part: the answer
	// ended before the provider told its count. Reported is then false.
	Estimated bool
	// Input and Output are the tokens read and written, cached and reasoning
	// tokens included.
	Input, Output int64
	// Cached is the part of Input that the provider read from its prompt cache.
	Cached int64
	// Written is the part of Input that the provider stored in its prompt cache.
	Written int64
	// Reasoning is the part of Output spent on reasoning.
	Reasoning int64
}

// Known reports whether there is a count, be it an estimate.
func (u Usage) Known() bool { return u.Reported || u.Estimated }

// Total is Input plus Output.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Add sums two calls, as when a request was tried more than once.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		Reported:  (u.Reported || o.Reported) && !u.Estimated && !o.Estimated,
		Estimated: u.Estimated || o.Estimated,
		Input:     u.Input + o.Input,
		Output:    u.Output + o.Output,
		Cached:    u.Cached + o.Cached,
		Written:   u.Written + o.Written,
		Reasoning: u.Reasoning + o.Reasoning,
	}
}
