package core

import "context"

// Prices are what models cost.
type Prices interface {
	// PerToken gives the price of a token, in units of 1e-10 USD. ok is false when
	// it is not known.
	PerToken(provider, model string) (input, output int64, ok bool)
}

// Planner tells where a model's requests go.
type Planner interface {
	// Plan gives the targets that would be tried, in order; none for a model without a
	// route. Asking changes nothing about the calls to come.
	Plan(model string) []TargetRef
	// Bare gives a model's name without a provider's prefix.
	Bare(model string) string
}

// Windows are the context windows of models.
type Windows interface {
	// ContextWindow is in tokens; 0: not known.
	ContextWindow(provider, model string) int64
}

// Budgets tell how much is left to spend.
type Budgets interface {
	// Remaining gives what is left of the tightest budget that applies, in per
	// cent of its limit. ok is false when none applies.
	Remaining(ctx context.Context, p *Principal, model string) (pct float64, exceeded, ok bool)
}
