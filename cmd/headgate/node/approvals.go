package node

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/stages/policy"
)

// approvals holds the consents in force and the queue of requests for consent.
type approvals struct {
	db      *store.DB
	tel     *telemetry.Telemetry
	now     func() time.Time
	given   atomic.Pointer[map[consent]activeConsent]
	asked   chan consent
	calls   recentCalls
	dropped atomic.Int64
	// shared counts consents to calls that were used up, for all nodes that share the state. Optional.
	shared core.Counters
	// page returns the URL of the page on which people decide, or "" without a console. Optional.
	page func() string
	// recent maps requests to when they were last written or found the queue full. Only run uses it.
	recent map[consent]time.Time
}

// consent is the subject of a consent: a rule, for a lineage of keys and a model.
type consent struct {
	tenant, lineage, rule, model string
	call                         string // for one exact call: revision of the policy and digest of the arguments
}

// activeConsent is a consent in force and its expiry.
type activeConsent struct {
	id  string
	end time.Time
}

var _ policy.Approvals = (*approvals)(nil)

const (
	// askedAhead is the capacity of the queue of unwritten requests. Beyond it, requests are dropped and counted; the
	// next exchange asks again.
	askedAhead = 256
	// askedAgain is the minimum time between two writes of the same request, because a refused client may retry often.
	askedAgain = time.Minute
	// recentMost is the maximum number of requests remembered in recent.
	recentMost = 1024
	// policyAskedFor is how long a request stays pending.
	policyAskedFor = 7 * 24 * time.Hour
	// approvalsKept is how long an approval is kept after it has expired.
	approvalsKept = 90 * 24 * time.Hour
)

// queueFull is the log message for omitted requests.
const queueFull = "too many requests for approval of a rule wait already; more are left out until some are decided about"

func newApprovals(db *store.DB, tel *telemetry.Telemetry) *approvals {
	a := &approvals{db: db, tel: tel, now: time.Now, asked: make(chan consent, askedAhead), recent: map[consent]time.Time{}}
	a.given.Store(&map[consent]activeConsent{})
	return a
}

// IsApproved reports whether a consent permits passing the rule.
func (a *approvals) IsApproved(tenant, lineage, rule, model string) bool {
	g, ok := (*a.given.Load())[consent{tenant: tenant, lineage: lineage, rule: rule, model: model}]
	return ok && a.now().Before(g.end)
}

// RequestConsent queues a request for consent.
func (a *approvals) RequestConsent(tenant, lineage, rule, model string) {
	// Clone: they may alias the exchange.
	c := consent{tenant: strings.Clone(tenant), lineage: strings.Clone(lineage), rule: rule, model: strings.Clone(model)}
	select {
	case a.asked <- c:
	default:
		a.dropped.Add(1)
	}
}

// refresh loads all consents from the store.
func (a *approvals) refresh(ctx context.Context) error {
	a.calls.removeMatching(func(string) bool { return true })
	all := map[consent]activeConsent{}
	for _, kind := range approvalKinds {
		for r, err := range a.db.Approvals().ListConsents(ctx, kind) {
			if err != nil {
				return err
			}
			a.add(all, &r)
		}
	}
	a.given.Store(&all)
	return nil
}

// change loads the changed approvals, or all if it is unknown which changed.
func (a *approvals) change(ctx context.Context, c *changes) error {
	if c.all {
		return a.refresh(ctx)
	}
	a.calls.removeMatching(func(id string) bool { return slices.Contains(c.ids["approval"], id) })
	all := maps.Clone(*a.given.Load())
	for _, id := range c.ids["approval"] {
		maps.DeleteFunc(all, func(_ consent, g activeConsent) bool { return g.id == id })
		r, err := a.db.Approvals().Get(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if slices.Contains(approvalKinds, r.Kind) && r.Status == store.ApprovalApproved {
			a.add(all, &r)
		}
	}
	maps.DeleteFunc(all, func(_ consent, g activeConsent) bool { return !a.now().Before(g.end) })
	a.given.Store(&all)
	return nil
}

// add adds an approval to those in force. Of several for the same consent, the last to expire counts.
func (a *approvals) add(all map[consent]activeConsent, r *store.Approval) {
	var s struct {
		Rule, Model string
		Revision    string `json:"policy_revision"`
		Digest      string `json:"arguments_sha256"`
	}
	if json.Unmarshal([]byte(r.Subject), &s) != nil {
		return
	}
	c := consent{tenant: r.TenantID, lineage: r.Requester, rule: s.Rule, model: s.Model}
	if r.Kind == admin.ApprovalToolCall {
		c.call = s.Revision + " " + s.Digest
	}
	if r.ExpiresAt.After(all[c].end) {
		all[c] = activeConsent{r.ID, r.ExpiresAt}
	}
}

// run writes queued requests until ctx ends.
func (a *approvals) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-a.asked:
			if a.wasRequested(c) {
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

// wasRequested reports whether a consent was requested recently, and remembers the request.
func (a *approvals) wasRequested(c consent) bool {
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
	r, err := admin.NewRequest(admin.ApprovalPolicy, c.tenant, c.rule, c.lineage, map[string]any{"rule": c.rule, "model": c.model})
	if err != nil {
		return err
	}
	r.ID, r.ExpiresAt = NewID(), a.now().Add(policyAskedFor)
	_, err = a.db.Approvals().AddRequest(ctx, r)
	return err
}
