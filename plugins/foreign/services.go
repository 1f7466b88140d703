package foreign

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// Services are what the gateway offers to foreign code besides the exchange itself. Each is optional.
type Services struct {
	Prices  price.Lookup
	Windows Windows
	Budgets Budgets
	// Reply checks a body that foreign code answers with, in the shape of the exchange's client: JSON, or events if the client asked
	// for a stream.
	Reply func(x *core.Exchange, body []byte) (*core.Payload, error)
	// Notify emits a notice. It must not block.
	Notify func(ctx context.Context, n spending.Notice)
	Tokens core.Tokens
	Calls  Caller
	// StripPrefix returns a model's name without a provider's prefix.
	Bare func(model string) string
	// PerCall returns the price of a call of a tool or an agent, in units of 1e-10 USD.
	PerCall func(provider, model string) int64
	// DefaultCap limits an answer, in tokens, if the client sets no limit; 0 for no limit.
	DefaultCap int64
	// Now replaces the clock.
	Now func() time.Time
}

// Windows returns the context windows of models.
type Windows interface {
	// FindContextWindow returns a model's context window in tokens, or 0 if it is unknown.
	FindContextWindow(provider, model string) int64
}

// Budgets returns the budgets that apply to an exchange.
type Budgets interface {
	FindAmounts(ctx context.Context, x *core.Exchange) ([]spending.Amount, error)
}

// NewThresholdNotice returns the notice that a limit of a link has reached a share of itself, in per cent.
func NewThresholdNotice(x *core.Exchange, link, name, percent string) spending.Notice {
	tenant := ""
	if x.Principal != nil {
		tenant = x.Principal.Tenant
	}
	return spending.Notice{Type: spending.NoticePluginLimit, Tenant: tenant, Facts: []spending.Fact{
		{Name: "link", Value: link}, {Name: "limit", Value: name}, {Name: "percent", Value: percent},
	}}
}
