package ratelimit

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// unit is what a limit counts.
type unit uint8

const (
	requests unit = iota
	tokens
	concurrent
)

// plan is the list of limits for one caller and model, ready to be taken.
type plan struct {
	limits []core.Limit // without cost
	units  []unit
	rules  []*limit
}

// caller contains what plans depend on.
type caller struct{ tenant, key, id, name, model, alias string }

const (
	planShards = 16
	// maxPlans limits the plans of a shard, because clients choose the names of models. When it is reached, all plans
	// are dropped.
	maxPlans = 256
)

// plans are the cached plans.
type plans struct {
	seed   maphash.Seed
	shards [planShards]struct {
		sync.RWMutex
		known map[caller]*plan
	}
}

func (s *Stage) findPlan(x *core.Exchange) *plan {
	var c caller
	if p := x.Principal; p != nil {
		c = caller{tenant: p.Tenant, key: p.Lineage, id: p.KeyID, name: p.KeyName}
		if c.key == "" {
			c.key = p.KeyID
		}
	}
	if s.byModel {
		c.model, c.alias = x.Model(), x.Head.Model
	}
	shard := &s.plans.shards[maphash.Comparable(s.plans.seed, c)%planShards]
	shard.RLock()
	p := shard.known[c]
	shard.RUnlock()
	if p != nil {
		return p
	}
	c.model, c.alias = strings.Clone(c.model), strings.Clone(c.alias) // they share memory with the exchange
	p = s.buildPlan(c)
	if len(c.model) > maxModelName || len(c.alias) > maxModelName { // clients may send very long names
		return p
	}
	shard.Lock()
	if shard.known == nil || len(shard.known) >= maxPlans {
		shard.known = make(map[caller]*plan)
	}
	shard.known[c] = p
	shard.Unlock()
	return p
}

func (s *Stage) buildPlan(c caller) *plan {
	p := new(plan)
	for i := range s.rules {
		r := &s.rules[i]
		bare := s.bare(c.model)
		if !r.appliesTo(c, bare) {
			continue
		}
		key := s.formatKey(i, r, c, bare)
		if r.Requests > 0 {
			p.add(r, requests, core.Limit{Kind: core.Rate, Key: key + "requests", Max: r.Requests, Burst: r.Burst, Period: r.Period})
		}
		if r.Tokens > 0 {
			p.add(r, tokens, core.Limit{Kind: core.Rate, Key: key + "tokens", Max: r.Tokens, Period: r.Period})
		}
		if r.Concurrent > 0 {
			p.add(r, concurrent, core.Limit{Kind: core.Concurrent, Key: key + "concurrent", Max: r.Concurrent, Period: s.lease})
		}
	}
	return p
}

func (p *plan) add(r *limit, u unit, l core.Limit) {
	p.limits, p.units, p.rules = append(p.limits, l), append(p.units, u), append(p.rules, r)
}

func (l *limit) appliesTo(c caller, bare string) bool {
	return matchesAny(l.Tenants, c.tenant, "") && (matchesAny(l.Keys, c.key, c.name) || matchesAny(l.Keys, c.id, "")) &&
		l.namesModel(c.model, c.alias, bare)
}

// namesModel reports whether one of a model's names is in the list.
func (l *limit) namesModel(models ...string) bool {
	return len(l.Models) == 0 || slices.ContainsFunc(l.Models, func(pattern string) bool {
		return slices.ContainsFunc(models, func(m string) bool { return m != "" && match.MatchesModel(pattern, m) })
	})
}

func matchesAny(patterns []string, a, b string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, p := range patterns {
		if match.MatchesGlob(p, a) || b != "" && match.MatchesGlob(p, b) {
			return true
		}
	}
	return false
}

// maxModelName is the length of the longest model name with its own counter.
const maxModelName = 256

// formatKey returns the name of the counter of a rule and a caller. It is the same for all spellings of a model. The part in
// braces keeps the counters of a tenant on one node.
func (s *Stage) formatKey(i int, l *limit, c caller, bare string) string {
	tenant := "*"
	var rest strings.Builder
	for _, per := range l.Per {
		switch per {
		case perTenant:
			tenant = c.tenant
		case perKey:
			tenant = c.tenant
			rest.WriteString(c.key)
		case perModel:
			m := bare
			if len(m) > maxModelName {
				m = "other"
			}
			rest.WriteByte('/')
			rest.WriteString(m)
		}
		rest.WriteByte(':')
	}
	name := l.Name
	if name == "" {
		name = strconv.Itoa(i)
	}
	return "{" + tenant + "}" + s.name + ":" + name + ":" + rest.String()
}
