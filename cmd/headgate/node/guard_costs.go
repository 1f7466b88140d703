package node

import (
	"context"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/stages"
)

// guardDialect is the dialect of usage records of guards.
const guardDialect = "guard"

// bookTime limits how long the costs of a guard wait for budgets and for the queue of records.
const bookTime = 5 * time.Second

// convertPrincipal returns the caller as budgets see it.
func convertPrincipal(c *remote.Caller) *core.Principal {
	return &core.Principal{Tenant: c.Tenant, KeyID: c.Key, KeyName: c.KeyName, Lineage: c.Lineage}
}

// newChatCaller returns how judge models are asked; nil where no gateway runs.
func newChatCaller(h *stages.Host) outside.Chat {
	if h.Chat == nil {
		return nil
	}
	return func(ctx context.Context, by *remote.Caller, link string, body []byte) (int, []byte, error) {
		return h.Chat(ctx, convertPrincipal(by), link, body)
	}
}

// newChargeRecorder returns how the calls of vendors' guards are booked; nil where no gateway runs. The record has the
// name of the link as its model and the vendor as its provider.
func newChargeRecorder(h *stages.Host) func(ctx context.Context, c outside.Charge) {
	if h.Book == nil {
		return nil
	}
	return func(ctx context.Context, c outside.Charge) {
		if c.Tenant == "" {
			return // a question of the gateway's own, such as a canary
		}
		name := "guard:" + c.Link
		h.Book(ctx, convertPrincipal(&c.Caller), &store.UsageRecord{
			ExchangeID: c.Exchange, Tenant: c.Tenant, KeyID: c.Key, Dialect: guardDialect, ModelRequested: name, Provider: c.Vendor, Model: name,
			Outcome: core.Served.String(), Status: http.StatusOK, Cost: int64(c.Cost), InputCost: int64(c.Cost), Priced: true,
			Counted: true, // no tokens
		})
	}
}

// newBook returns stages.Host.Book: it charges a cost to the budgets of a caller and records it. Nothing was reserved for it: like that
// of a batch, it is not refused, but later requests are.
func newBook(g *gateway) func(ctx context.Context, by *core.Principal, u *store.UsageRecord) {
	return func(ctx context.Context, by *core.Principal, u *store.UsageRecord) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bookTime)
		defer cancel()
		if s := g.snaps.Acquire(); s != nil {
			defer s.Release()
			x := core.Exchange{
				Principal: by, Head: core.Head{Model: u.ModelRequested}, Target: core.TargetRef{Provider: u.Provider, Model: u.Model},
			}
			if err := s.Spending.Charge(ctx, &x, u.Cost, 0); err != nil {
				g.tel.ReportLoss("budget", u.ExchangeID, err)
			}
		}
		if err := g.rec.writer.AppendUsage(ctx, u); err != nil {
			g.tel.ReportLoss("usage", u.ExchangeID, err)
			return
		}
		g.tel.RecordUsage()
	}
}
