package outside

import (
	"context"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// Charge is the cost of a vendor's guard for the calls of one question.
type Charge struct {
	remote.Caller
	Exchange     string // id
	Link, Vendor string
	Calls        int
	Cost         money.Amount
}

// bookCalls books the calls of a question that the vendor has answered. What failed is free: vendors do not
// charge for errors. A canary is at the expense of no caller.
func (a *asker) bookCalls(ctx context.Context, q *remote.Question, calls int) {
	if calls == 0 || a.book == nil || a.set.PricePerCall == 0 || q.Exchange == remote.CanaryID {
		return
	}
	a.book(ctx, Charge{
		Caller: q.Caller, Exchange: q.Exchange, Link: q.Link, Vendor: a.name, Calls: calls, Cost: a.set.PricePerCall * money.Amount(calls),
	})
}
