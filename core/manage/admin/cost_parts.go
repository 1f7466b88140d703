package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CostPart is the cost of one group. Fields by which records are not grouped are empty.
type CostPart struct {
	Tenant, Provider, Model string
	Key                     string    // an id
	Day                     time.Time // midnight in UTC
	Cost                    money.Amount
	Requests, Input, Output int64 // the number of exchanges that used tokens
	Unpriced                int64 // exchanges among them whose price was not known
}

// SumParts sums cost records in groups: days in chronological order, other groups by descending cost.
func (s Costs) SumParts(ctx context.Context, who *auth.Actor, q CostQuery, by store.CostGroup) ([]CostPart, error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return nil, err
	}
	sums, err := s.svc.Store.Usage().SumCosts(ctx, f, by)
	if err != nil {
		return nil, err
	}
	out := make([]CostPart, len(sums))
	for i := range sums {
		p := &sums[i]
		out[i] = CostPart{
			Tenant: p.Tenant, Key: p.Key, Provider: p.Provider, Model: p.Model, Cost: money.Amount(p.Cost()), Requests: p.Requests,
			Input: p.Input, Output: p.Output, Unpriced: p.Unpriced,
		}
		if by&store.ByDay != 0 {
			out[i].Day = time.Unix(p.Day*24*60*60, 0).UTC()
		}
	}
	if by&store.ByDay == 0 {
		slices.SortStableFunc(out, func(a, b CostPart) int { return cmp.Compare(b.Cost, a.Cost) })
	}
	return out, nil
}
