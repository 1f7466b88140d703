package policies

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Stats are the results of a policy in shadow mode over a period.
type Stats struct {
	PolicyID  string     `json:"policy_id"`
	Period    string     `json:"period"`
	Total     int64      `json:"total_evaluations"`
	Divergent int64      `json:"divergent_count"`
	Rate      float64    `json:"divergence_rate"` // 0 to 1
	ByRule    []RuleStat `json:"by_rule"`
}

// RuleStat counts one kind of divergence of a rule.
type RuleStat struct {
	RuleID     string `json:"rule_id"`
	Count      int64  `json:"count"`
	Divergence string `json:"divergence_type"`
}

var periods = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}

// CountShadowDecisions counts evaluations of a tenant's exchanges in the last hour, day or week. An empty tenant
// selects all tenants; an empty period is a day.
func (s *Service) CountShadowDecisions(ctx context.Context, id, tenant, period string, now time.Time) (*Stats, error) {
	if period == "" {
		period = "24h"
	}
	span, ok := periods[period]
	if !ok {
		return nil, newInvalidError("period", "%q is not one of 1h, 24h and 7d", period)
	}
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	counts, err := s.Store.ShadowEvents().Count(ctx, id, tenant, now.Add(-span))
	if err != nil {
		return nil, err
	}
	out := &Stats{PolicyID: id, Period: period, ByRule: []RuleStat{}}
	for _, c := range counts {
		out.Total += c.Count
		if c.Divergence != "" {
			out.Divergent += c.Count
			out.ByRule = append(out.ByRule, RuleStat{c.Rule, c.Count, c.Divergence})
		}
	}
	if out.Total > 0 {
		out.Rate = float64(out.Divergent) / float64(out.Total)
	}
	return out, nil
}

// maxEvents is the maximum length of a list of events.
const maxEvents = 1000

// ListShadowEvents returns the newest evaluations of a tenant's exchanges, either those that diverged or the others. An
// empty tenant selects all tenants; a limit of 0 is 50.
func (s *Service) ListShadowEvents(ctx context.Context, id, tenant string, diverged bool, limit int) ([]store.ShadowEvent, error) {
	if limit == 0 {
		limit = 50
	}
	if limit < 0 || limit > maxEvents {
		return nil, newInvalidError("limit", "limit must be a number from 1 to %d", maxEvents)
	}
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	return s.Store.ShadowEvents().List(ctx, id, tenant, diverged, limit)
}
