package policy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// Source provides the policies of the stage, and receives the results of those in shadow mode.
type Source interface {
	// Watch passes the policies that are active or in shadow mode to use: at once, and again after each change, until
	// stop is called. If use returns an error, the previous policies stay in force; at the first call, Watch returns
	// that error.
	Watch(use func([]policydoc.Record) error) (stop func(), err error)
	// StoreShadowEvents receives events, and how many others were dropped since the last call because evaluation could not keep
	// up. It may block, because no request waits for it.
	StoreShadowEvents(ctx context.Context, events []policydoc.ShadowEvent, dropped int)
}

// Approvals tells which requests a second person has approved, and asks for approval.
type Approvals interface {
	// IsApproved reports whether a rule, named by its label, is approved for a line of keys of a tenant and a model.
	IsApproved(tenant, lineage, rule, model string) bool
	// RequestConsent records a request for approval. It does not wait. Repeated requests are ignored.
	RequestConsent(tenant, lineage, rule, model string)
}

// Routes knows where requests for a model go.
type Routes interface {
	// Plan returns the targets that would be tried, in order, or none for a model without a route. It does not affect
	// later calls.
	Plan(model string) []core.TargetRef
	// StripPrefix returns a model's name without a provider's prefix.
	StripPrefix(model string) string
}

// Windows returns the context windows of models.
type Windows interface {
	// FindContextWindow returns a model's context window in tokens, or 0 if it is unknown.
	FindContextWindow(provider, model string) int64
}

// Budgets returns how much is left to spend.
type Budgets interface {
	// FindRemaining returns what is left of the tightest budget that applies, in per cent of its limit. ok is false if none
	// applies; an error means that the amount is unknown.
	FindRemaining(ctx context.Context, p *core.Principal, model string) (pct float64, exceeded, ok bool, err error)
}
