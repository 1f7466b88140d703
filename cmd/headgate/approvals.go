package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/admin"
	"github.com/headgate-dev/headgate/core/store"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// approvals are the consents in force, and the queue of what is asked for.
type approvals struct {
	db      *store.DB
	tel     *telemetry.Telemetry
	now     func() time.Time
	given   atomic.Pointer[map[consent]time.Time] // with their ends
	asked   chan consent
	dropped atomic.Int64
}

// consent is what is consented to: a rule, for a line of keys and a model.
type consent struct{ tenant, lineage, rule, model string }

var _ core.Approvals = (*approvals)(nil)

// askedAhead is how many requests may wait to be written; more are dropped, counted, and asked for again with the next
// exchange.
const askedAhead = 256

func newApprovals(db *store.DB, tel *telemetry.Telemetry) *approvals {
	a := &approvals{db: db, tel: tel, now: time.Now, asked: make(chan consent, askedAhead)}
	a.given.Store(&map[consent]time.Time{})
	return a
}

// Approved reports whether a rule may be passed.
func (a *approvals) Approved(tenant, lineage, rule, model string) bool {
	end, ok := (*a.given.Load())[consent{tenant, lineage, rule, model}]
	return ok && a.now().Before(end)
}

// Ask has consent asked for.
func (a *approvals) Ask(tenant, lineage, rule, model string) {
	c := consent{strings.Clone(tenant), strings.Clone(lineage), rule, strings.Clone(model)} // which may be an exchange's own
	select {
	case a.asked <- c:
	default:
		a.dropped.Add(1)
	}
}

// refresh takes up the consents of the store.
func (a *approvals) refresh(ctx context.Context) error {
	given := map[consent]time.Time{}
	for r, err := range a.db.EachApproval(ctx, "", store.ApprovalApproved, store.Cursor{}, 0) {
		if err != nil {
			return err
		}
		var s struct{ Rule, Model string }
		if r.Kind != admin.ApprovalPolicy || !a.now().Before(r.ExpiresAt) || json.Unmarshal([]byte(r.Subject), &s) != nil {
			continue
		}
		given[consent{r.TenantID, r.Requester, s.Rule, s.Model}] = r.ExpiresAt
	}
	a.given.Store(&given)
	return nil
}

// policyAskedFor is how long a request stays in the queue.
const policyAskedFor = 7 * 24 * time.Hour

// run writes what is asked for, until ctx ends.
func (a *approvals) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-a.asked:
			r, err := admin.Asking(admin.ApprovalPolicy, c.tenant, c.lineage, map[string]any{"rule": c.rule, "model": c.model})
			if err == nil {
				r.ID, r.ExpiresAt = newID(), a.now().Add(policyAskedFor)
				_, err = a.db.AskApproval(ctx, r)
			}
			if err != nil && ctx.Err() == nil {
				a.tel.Log.Error().Err(err).Msg("a request for approval could not be written; the next exchange asks again")
			}
		}
	}
}
