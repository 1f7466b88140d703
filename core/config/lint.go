package config

import (
	"fmt"
	"slices"
	"strings"
)

// lintRule is an order or a setting of links that leaks data, or does not do what it seems to. The codes are stable;
// docs/stages.md explains each.
type lintRule struct {
	code   string
	refuse bool // the configuration is refused; otherwise a warning
	// applies reports whether the rule matters for the rest of the configuration. Optional.
	applies func(cfg *Config) bool
	// find returns the places where a chain breaks the rule.
	find func(chain []Link) []breach
	// says is the message; %s is the other link's place.
	says string
	hint string
}

// breach is a link that breaks a rule, and the other link involved.
type breach struct{ at, other int }

// lint checks the chain against all rules.
func (c *checker) lint() {
	chain := c.cfg.Links()
	where := func(i int) string {
		if i == len(c.cfg.Chain) {
			return "cache.enabled"
		}
		return appendIndex("chain", i)
	}
	for i := range rules {
		r := &rules[i]
		if r.applies != nil && !r.applies(c.cfg) {
			continue
		}
		for _, b := range r.find(chain) {
			message, hint := r.says, r.hint
			if chain[b.at].Process != "" || chain[b.other].Process != "" && chain[b.at].Webhook == "" {
				message, hint = ofProcess.Replace(message), ofProcess.Replace(hint)
			}
			if chain[b.at].Guard != "" || chain[b.other].Guard != "" && chain[b.at].Webhook == "" {
				message, hint = ofGuard.Replace(message), ofGuard.Replace(hint)
			}
			if strings.Contains(message, "%s") {
				message = fmt.Sprintf(message, where(b.other))
			}
			path := where(b.at)
			p := c.findPlace(path).newProblem(path, message, hint)
			p.Code = r.code
			if r.refuse {
				c.problems = append(c.problems, p)
			} else {
				c.warnings = append(c.warnings, Warning(p))
			}
		}
	}
}

// ofProcess rewrites a message about a webhook for a process.
var ofProcess = strings.NewReplacer(
	"webhook",
	"process",
	"its receiver",
	"it",
	"the receiver",
	"it",
	"a receiver",
	"a plugin",
	"fail_mode: OPEN",
	"on_fault: pass",
)

// ofGuard rewrites a message about a webhook for a guard of a vendor.
var ofGuard = strings.NewReplacer(
	"webhook", "guard", "its receiver", "it", "the receiver", "it", "a receiver", "a vendor", "fail_mode: OPEN", "on_fault: pass",
)

// findSingle finds links that break the rule on their own.
func findSingle(t test) func([]Link) []breach {
	return func(chain []Link) (out []breach) {
		for i := range chain {
			if t(&chain[i]) {
				out = append(out, breach{i, i})
			}
		}
		return out
	}
}

// findFirst finds the first link that breaks the rule on its own.
func findFirst(t test) func([]Link) []breach {
	return func(chain []Link) []breach {
		all := findSingle(t)(chain)
		return all[:min(1, len(all))]
	}
}

// findUncovered finds the first link of a kind if none of the kind enforces for all exchanges.
func findUncovered(t test) func([]Link) []breach {
	return func(chain []Link) []breach {
		if len(findSingle(t.joinAnd(enforces, forAll))(chain)) > 0 {
			return nil
		}
		return findFirst(t)(chain)
	}
}

// findBefore finds a link of the first kind before one of the second, if one exchange may meet both. The first breaks the
// rule.
func findBefore(first, second test) func([]Link) []breach {
	return func(chain []Link) (out []breach) {
		for i := range chain {
			for j := i + 1; j < len(chain) && first(&chain[i]); j++ {
				if second(&chain[j]) && canMeet(&chain[i].For, &chain[j].For) {
					out = append(out, breach{i, j})
					break
				}
			}
		}
		return out
	}
}

// findAfter finds a link of the second kind after one of the first. It breaks the rule, except if a link that matches
// unless precedes it.
func findAfter(first, second, unless test) func([]Link) []breach {
	return func(chain []Link) (out []breach) {
		for j := range chain {
			if !second(&chain[j]) {
				continue
			}
			good := func(l Link) bool { return unless != nil && unless(&l) && canMeet(&l.For, &chain[j].For) }
			i := slices.IndexFunc(chain[:j], func(l Link) bool { return first(&l) && canMeet(&l.For, &chain[j].For) })
			if i >= 0 && !slices.ContainsFunc(chain[:j], good) {
				out = append(out, breach{j, i})
			}
		}
		return out
	}
}

// findBeside finds a link of the first kind in a chain that has one of the second anywhere.
func findBeside(first, second test) func([]Link) []breach {
	return func(chain []Link) (out []breach) {
		for i := range chain {
			j := slices.IndexFunc(chain, func(l Link) bool { return second(&l) && canMeet(&l.For, &chain[i].For) })
			if j >= 0 && first(&chain[i]) {
				out = append(out, breach{i, j})
			}
		}
		return out
	}
}

// findWithout finds a link of the first kind in a chain that has none of the second.
func findWithout(first, second test) func([]Link) []breach {
	return func(chain []Link) []breach {
		if slices.ContainsFunc(chain, func(l Link) bool { return second(&l) }) {
			return nil
		}
		return findSingle(first)(chain)
	}
}

// findUncoveredPhase finds a link of the second kind behind links of the first kind, none of which runs for all of its
// exchanges.
func findUncoveredPhase(first, second test) func([]Link) []breach {
	return func(chain []Link) (out []breach) {
		for j := range chain {
			if !second(&chain[j]) {
				continue
			}
			i, covered := -1, false
			for k := range chain[:j] {
				if first(&chain[k]) {
					i = k
					covered = covered || covers(&chain[k].For, &chain[j].For)
				}
			}
			if i >= 0 && !covered {
				out = append(out, breach{j, i})
			}
		}
		return out
	}
}

// findLateRules finds a policy link with detectors and a cache behind it, and no other policy link between these. Rules on
// findings then have to wait until a target is chosen.
func findLateRules(chain []Link) (out []breach) {
	policy := testRole(RolePolicy).joinAnd(enforces)
	for k := range chain {
		if !isCache.joinAnd(enforces)(&chain[k]) {
			continue
		}
		last := -1 // policy link before a detector that none has followed yet
		late := -1
		for i := range chain[:k] {
			switch {
			case policy(&chain[i]):
				last, late = i, -1
			case last >= 0 && isFinder(&chain[i]):
				late = last
			}
		}
		if late >= 0 {
			out = append(out, breach{late, k})
		}
	}
	return out
}

// ShowsFindingsToPolicies reports whether rules on findings are evaluated before a target is chosen: a policy link stands
// behind all detectors. A chain that names no policy link is given one there.
func (c *Config) ShowsFindingsToPolicies() bool {
	chain, policy := c.Links(), matchStage("policy").joinAnd(enforces)
	if !slices.ContainsFunc(chain, func(l Link) bool { return l.Stage == "policy" }) {
		return true
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if policy(&chain[i]) {
			return true
		}
		if isFinder(&chain[i]) {
			return false
		}
	}
	return false
}
