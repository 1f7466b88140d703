package node

import (
	"slices"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/stages"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/policy"
)

// blindStages do not inspect text. Guardrail plugins run after the last link that is not one of these.
var blindStages = []string{"policy", "ratelimit", "budget", "schema", "cache"}

// policyOnFindings is the name of the second policy link that records imply.
const policyOnFindings = "policy-on-findings"

// addRecordLinks adds links for the guards, schemas, policies and budgets stored as records to a chain that has none for them.
// They take part in an exchange only if such a record exists. added are their names, which no other link may depend on.
func addRecordLinks(links []config.Link, with stages.Host) (chain []config.Link, added map[string]bool) {
	chain, added = slices.Clone(links), map[string]bool{}
	insert := func(at int, l config.Link) {
		for slices.ContainsFunc(chain, func(o config.Link) bool { return o.Name == l.Name }) {
			l.Name += "-records"
		}
		chain, added[l.Name] = slices.Insert(chain, at, l), true
	}
	cache := len(chain)
	if i := slices.IndexFunc(chain, func(l config.Link) bool { return l.Stage == "cache" }); i >= 0 {
		cache = i
	}
	finds := func(l config.Link) bool { return !slices.Contains(blindStages, l.Stage) }
	if with.Guards != nil && !slices.ContainsFunc(chain, func(l config.Link) bool { return l.GuardrailPlugins != "" }) {
		at := cache
		for i := len(chain) - 1; i >= 0; i-- {
			if finds(chain[i]) {
				at = i + 1
				break
			}
		}
		insert(at, config.Link{GuardrailPlugins: "*", Name: config.GuardrailPluginsName})
	}
	if with.Schemas != nil && !slices.ContainsFunc(chain, func(l config.Link) bool { return l.Stage == "schema" }) {
		at := min(cache, len(chain))
		if i := slices.IndexFunc(chain, finds); i >= 0 {
			at = i // answers pass the links in reverse, so it sees them after the guards
		}
		insert(at, config.Link{Stage: "schema", Name: "schema"})
	}
	if with.Spending != nil && !slices.ContainsFunc(chain, func(l config.Link) bool { return l.Stage == budget.Name }) {
		at := slices.IndexFunc(chain, func(l config.Link) bool { return l.Stage == "cache" })
		if at < 0 {
			at = len(chain)
		}
		insert(at, config.Link{Stage: budget.Name, Name: budget.Name})
	}
	if with.Policies != nil && !slices.ContainsFunc(chain, func(l config.Link) bool { return l.Stage == policy.Name }) {
		for i := len(chain) - 1; i >= 0; i-- { // rules on what the detectors find in requests
			if finds(chain[i]) {
				insert(i+1, config.Link{Stage: policy.Name, Name: policyOnFindings})
				break
			}
		}
		insert(0, config.Link{Stage: policy.Name, Name: policy.Name}) // rules on callers, and on answers, which pass the links in reverse
	}
	return chain, added
}

// countWrittenLinks returns how many links of a chain were configured explicitly.
func countWrittenLinks(c *chain.Chain) (n int) {
	for i := range c.Links() {
		if !c.Links()[i].Implied {
			n++
		}
	}
	return n
}
