package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Exchange is one exchange as the stored records describe it.
type Exchange struct {
	store.Exchange
	Cost  money.Amount
	Costs bool // whether the reader may see Cost, which is 0 otherwise
}

// ExchangeQuery filters exchanges. Empty fields match all.
type ExchangeQuery struct {
	ID, Tenant, Key, Model, Outcome string
	ModelPart                       string // a part of a model's name, in any case
	Status                          int
	From, To                        string // ISO 8601
}

// ExchangePage is a page of a list of exchanges.
type ExchangePage struct {
	Exchanges []Exchange
	// After is the cursor of the next page, "" at the end of the list. Searched is the time that the search has reached if
	// the page is not full.
	After    string
	Searched time.Time
}

// BuildFilter returns the filter of a query, limited to what the reader may see.
func (s Exchanges) BuildFilter(ctx context.Context, who *auth.Actor, q ExchangeQuery) (store.ExchangeFilter, error) {
	tenant, err := s.authorizeTraffic(ctx, who, q.Tenant)
	if err != nil {
		return store.ExchangeFilter{}, err
	}
	f := store.ExchangeFilter{
		ID: q.ID, Tenant: tenant, Key: q.Key, Model: q.Model, ModelPart: q.ModelPart, Outcome: q.Outcome, Status: q.Status,
	}
	f.From, f.To, err = readSpan(q.From, q.To)
	return f, err
}

// List lists exchanges, newest first. A search reads a limited number of records per page.
func (s Exchanges) List(ctx context.Context, who *auth.Actor, q ExchangeQuery, page Page) (ExchangePage, error) {
	f, err := s.BuildFilter(ctx, who, q)
	if err != nil {
		return ExchangePage{}, err
	}
	var after *store.CostCursor
	if page.After != "" {
		after = new(store.CostCursor)
		if _, err := fmt.Sscanf(page.After, "%d.%d.%d", &after.At, &after.Series, &after.ID); err != nil {
			return ExchangePage{}, newInvalidValueError("cursor", "send next_cursor of the previous page unchanged")
		}
	}
	list, looked, err := s.svc.Store.Usage().ListExchanges(ctx, f, after, page.Limit)
	if err != nil {
		return ExchangePage{}, err
	}
	var out ExchangePage
	for i := range list {
		e := Exchange{Exchange: list[i], Costs: who.Can(auth.CostsRead)}
		if e.Costs {
			e.Cost = money.Amount(list[i].Cost)
		}
		out.Exchanges = append(out.Exchanges, e)
	}
	switch n := len(list); {
	case looked != nil:
		out.After, out.Searched = formatExchangeCursor(*looked), time.UnixMicro(looked.At).UTC()
	case n > 0 && n == page.Limit:
		out.After = formatExchangeCursor(list[n-1].Cursor())
	}
	return out, nil
}

func formatExchangeCursor(c store.CostCursor) string {
	return fmt.Sprintf("%d.%d.%d", c.At, c.Series, c.ID)
}

// Find returns the exchange with the id that began within a second of at, or false.
func (s Exchanges) Find(ctx context.Context, who *auth.Actor, id string, at time.Time) (Exchange, bool, error) {
	page, err := s.List(ctx, who, ExchangeQuery{
		ID: id, From: at.Add(-time.Second).Format(time.RFC3339Nano), To: at.Add(time.Second).Format(time.RFC3339Nano),
	}, Page{Limit: 1})
	if err != nil || len(page.Exchanges) == 0 {
		return Exchange{}, false, err
	}
	return page.Exchanges[0], true, nil
}

// auditLook limits the audit records that are read to find those of one exchange; auditSlack extends its period on both
// sides.
const (
	auditLook  = 20_000
	auditSlack = 3 * time.Second
)

// ListAuditEvents returns the audit events of the exchange id, which began at from and ended at to. whole is false if there
// were too many other events in between to read all.
func (s Exchanges) ListAuditEvents(
	ctx context.Context,
	who *auth.Actor,
	id string,
	from, to time.Time,
) (list []AuditEvent, whole bool, err error) {
	tenant, err := s.svc.authorize(ctx, who, auth.AuditRead, "")
	if err != nil {
		return nil, false, err
	}
	seen := 0
	err = s.svc.Store.Audit().Visit(
		ctx,
		store.AuditFilter{Tenant: tenant, From: from.Add(-auditSlack), To: to.Add(auditSlack)},
		func(r *store.AuditRecord) error {
			if seen++; seen > auditLook {
				return errLeft
			}
			var of struct {
				RequestID string `json:"request_id"`
			}
			if json.Unmarshal([]byte(r.Payload), &of) == nil && of.RequestID == id {
				list = append(list, AuditEvent(audit.ViewRecord(r)))
			}
			return nil
		},
	)
	if errors.Is(err, errLeft) {
		err = nil
	}
	return list, seen <= auditLook, err
}
