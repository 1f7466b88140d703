package node

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/stages/policy"
)

// approvals are the consents in force, and the queue of what is asked for.
type approvals struct {
	db      *store.DB
	tel     *telemetry.Telemetry
	now     func() time.Time
	given   atomic.Pointer[map[consent]given]
	asked   chan consent
	dropped atomic.Int64
	// recent is when what was asked for of late was written, or found too much. run's own.
	recent map[consent]time.Time
}

// consent is what is consented to: a rule, for a line of keys and a model.
type consent struct{ tenant, lineage, rule, model string }

// given is an approval that holds, until its end.
type given struct {
	id  string
	end time.Time
}

var _ policy.Approvals = (*approvals)(nil)

const (
	// askedAhead is how many requests may wait to be written; more are dropped, counted, and asked for again with the next
	// exchange.
	askedAhead = 256
	// askedAgain is how long a request is not written again: whoever is refused may try often.
	askedAgain = time.Minute
	// recentMost is how many of them are remembered.
	recentMost = 1024
	// policyAskedFor is how long a request stays in the queue.
	policyAskedFor = 7 * 24 * time.Hour
	// approvalsKept is how long one is kept after its end.
	approvalsKept = 90 * 24 * time.Hour
)

// queueFull is what the log says of requests that are left out.
const queueFull = "too many requests for approval of a rule wait already; more are left out until some are decided about"

func newApprovals(db *store.DB, tel *telemetry.Telemetry) *approvals {
	a := &approvals{db: db, tel: tel, now: time.Now, asked: make(chan consent, askedAhead), recent: map[consent]time.Time{}}
	a.given.Store(&map[consent]given{})
	return a
}

// Approved reports whether a rule may be passed.
func (a *approvals) Approved(tenant, lineage, rule, model string) bool {
	g, ok := (*a.given.Load())[consent{tenant, lineage, rule, model}]
	return ok && a.now().Before(g.end)
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

// refresh takes up all consents of the store.
func (a *approvals) refresh(ctx context.Context) error {
	all := map[consent]given{}
	for r, err := range a.db.Approvals().EachConsent(ctx, admin.ApprovalPolicy) {
		if err != nil {
			return err
		}
		a.take(all, &r)
	}
	a.given.Store(&all)
	return nil
}

// change takes up the approvals that have changed, or all of them when it is not known which.
func (a *approvals) change(ctx context.Context, c *changes) error {
	if c.all {
		return a.refresh(ctx)
	}
	all := maps.Clone(*a.given.Load())
	for _, id := range c.ids["approval"] {
		maps.DeleteFunc(all, func(_ consent, g given) bool { return g.id == id })
		r, err := a.db.Approvals().Get(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if r.Kind == admin.ApprovalPolicy && r.Status == store.ApprovalApproved {
			a.take(all, &r)
		}
	}
	maps.DeleteFunc(all, func(_ consent, g given) bool { return !a.now().Before(g.end) })
	a.given.Store(&all)
	return nil
}

// take adds an approval to those that hold. Of several for the same, the one that lasts longest counts.
func (a *approvals) take(all map[consent]given, r *store.Approval) {
	var s struct{ Rule, Model string }
	if json.Unmarshal([]byte(r.Subject), &s) != nil {
		return
	}
	c := consent{r.TenantID, r.Requester, s.Rule, s.Model}
	if r.ExpiresAt.After(all[c].end) {
		all[c] = given{r.ID, r.ExpiresAt}
	}
}

// run writes what is asked for, until ctx ends.
func (a *approvals) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-a.asked:
			if a.again(c) {
				continue
			}
			err := a.write(ctx, c)
			if errors.Is(err, store.ErrQueueFull) {
				a.dropped.Add(1)
				a.tel.Log.Warn().Str("tenant", c.tenant).Str("rule", c.rule).Msg(queueFull)
				continue
			}
			if err != nil {
				delete(a.recent, c)
			}
			if err != nil && ctx.Err() == nil {
				a.tel.Log.Error().Err(err).Msg("a request for approval could not be written; the next exchange asks again")
			}
		}
	}
}

// again reports whether something was asked for of late, and remembers it.
func (a *approvals) again(c consent) bool {
	now := a.now()
	if at, ok := a.recent[c]; ok && now.Sub(at).Abs() < askedAgain {
		return true
	}
	if len(a.recent) >= recentMost {
		maps.DeleteFunc(a.recent, func(_ consent, at time.Time) bool { return now.Sub(at).Abs() >= askedAgain })
	}
	if len(a.recent) < recentMost {
		a.recent[c] = now
	}
	return false
}

func (a *approvals) write(ctx context.Context, c consent) error {
	r, err := admin.Asking(admin.ApprovalPolicy, c.tenant, c.rule, c.lineage, map[string]any{"rule": c.rule, "model": c.model})
	if err != nil {
		return err
	}
	r.ID, r.ExpiresAt = NewID(), a.now().Add(policyAskedFor)
	_, err = a.db.Approvals().Ask(ctx, r)
	return err
}
