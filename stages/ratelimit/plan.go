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

// plan is what applies to one caller and model, ready to be taken.
type plan struct {
	limits []core.Limit // without cost
	units  []unit
	rules  []*limit
}

// caller is what plans differ by.
type caller struct{ tenant, key, id, name, model, alias string }

const (
	planShards = 16
	// mostPlans bounds the plans of a shard: models are named by clients. Then all are
	// made again.
	mostPlans = 256
)

// plans are those that were made.
type plans struct {
	seed   maphash.Seed
	shards [planShards]struct {
		sync.RWMutex
		known map[caller]*plan
	}
}

func (s *Stage) plan(x *core.Exchange) *plan {
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
	c.model, c.alias = strings.Clone(c.model), strings.Clone(c.alias) // they are the exchange's own
	p = s.make(c)
	if len(c.model) > longestModel || len(c.alias) > longestModel { // clients may send names as long as a body
		return p
	}
	shard.Lock()
	if shard.known == nil || len(shard.known) >= mostPlans {
		shard.known = make(map[caller]*plan)
	}
	shard.known[c] = p
	shard.Unlock()
	return p
}

func (s *Stage) make(c caller) *plan {
	p := new(plan)
	for i := range s.rules {
		r := &s.rules[i]
		bare := s.bare(c.model)
		if !r.appliesTo(c, bare) {
			continue
		}
		key := s.key(i, r, c, bare)
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

// namesModel reports whether a model is one of those, by any of its names.
func (l *limit) namesModel(models ...string) bool {
	return len(l.Models) == 0 || slices.ContainsFunc(l.Models, func(pattern string) bool {
		return slices.ContainsFunc(models, func(m string) bool { return m != "" && match.GlobModel(pattern, m) })
	})
}

func matchesAny(patterns []string, a, b string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, p := range patterns {
		if match.Glob(p, a) || b != "" && match.Glob(p, b) {
			return true
		}
	}
	return false
}

// longestModel bounds the names of models that have a count of their own.
const longestModel = 256

// key names the counter of a rule and a caller, one for all spellings of a model. What stands in braces keeps the
// counters of a tenant together.
func (s *Stage) key(i int, l *limit, c caller, bare string) string {
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
			if len(m) > longestModel {
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
