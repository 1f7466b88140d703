package policy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// Source is where the policy stage finds its policies, and leaves what
// those in shadow came to.
type Source interface {
	// Watch hands the policies that are active or in shadow to use: at once, and
	// again after each change, until stop is called. An error of use keeps what
	// was in force before; at the first call, it is Watch's own.
	Watch(use func([]policydoc.Record) error) (stop func(), err error)
	// Shadowed takes events, and how many others were dropped since the last
	// call because evaluation could not keep up. It may take its time: it is
	// never called on the way of a request.
	Shadowed(ctx context.Context, events []policydoc.ShadowEvent, dropped int)
}

// Approvals is where the policy stage finds what a second person has consented to, and asks for consent.
type Approvals interface {
	// Approved reports whether a rule, by its label, may be passed by a line of keys of a tenant for a model.
	Approved(tenant, lineage, rule, model string) bool
	// Ask notes that consent is asked for. It does not wait, and what is asked for already is not asked again.
	Ask(tenant, lineage, rule, model string)
}

// Routes tells where a model's requests go.
type Routes interface {
	// Plan gives the targets that would be tried, in order; none for a model without a
	// route. Asking changes nothing about the calls to come.
	Plan(model string) []core.TargetRef
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
	// cent of its limit. ok is false when none applies; an error says that nobody can
	// tell.
	Remaining(ctx context.Context, p *core.Principal, model string) (pct float64, exceeded, ok bool, err error)
}
