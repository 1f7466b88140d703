package console

import (
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// readShadowed lists the newest exchanges of this node's memory in which a link in shadow mode had a verdict. They are not
// in the database: a record says how an exchange ended, which such a verdict does not change.
func (p *requestList) readShadowed(r *request, q admin.ExchangeQuery) error {
	f, err := r.service().Exchanges().BuildFilter(r.ctx(), r.who, q)
	if err != nil {
		return err
	}
	p.Kept = map[string]recent.Summary{}
	for _, e := range r.c.Recent.ListShadowed(f.Tenant) {
		row := convertTraced(&e, p.Costs)
		if !matchesFilter(&row, &f) {
			continue
		}
		if p.Matches++; p.Matches <= pageSize {
			p.Rows = append(p.Rows, row)
			p.Kept[row.ID] = e.Summarize()
		}
	}
	if p.Sort != "" {
		p.sortRows(p.Sort)
	}
	p.keys = r.readKeyNames(p.Rows)
	return nil
}

// matchesFilter reports whether an exchange has what the filter asks for, apart from its tenant.
func matchesFilter(e *admin.Exchange, f *store.ExchangeFilter) bool {
	return (f.ID == "" || f.ID == e.ID) && (f.Key == "" || f.Key == e.Key) &&
		(f.Outcome == "" || f.Outcome == e.Outcome) && (f.Status == 0 || f.Status == e.Status) &&
		(containsFold(e.Model, f.ModelPart) || containsFold(e.ModelRequested, f.ModelPart)) &&
		(f.From.IsZero() || !e.At.Before(f.From)) && (f.To.IsZero() || e.At.Before(f.To))
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// convertTraced returns a trace in the form of a stored record.
func convertTraced(e *recent.Exchange, costs bool) admin.Exchange {
	row := admin.Exchange{Costs: costs, Exchange: store.Exchange{
		ID: e.ID, Tenant: e.Tenant, Key: e.Key, Dialect: e.Dialect, ModelRequested: e.Model, Provider: e.Provider, Model: e.SentModel,
		Outcome: e.Outcome.String(), Status: e.Status, Streamed: e.Stream, Counted: e.Usage.Reported, Input: e.Usage.Input,
		Output: e.Usage.Output, Priced: e.Priced, Latency: e.Latency, FirstByte: e.FirstByte, At: e.At.UTC(),
	}}
	if costs {
		row.Cost = money.Amount(e.Cost)
	}
	return row
}
