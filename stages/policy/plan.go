package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// point is the point of an exchange at which a rule is evaluated.
type point uint8

const (
	atIdentity point = iota // who calls, and what the request's head says
	atContent               // what detectors have found in the request
	atTarget                // where it goes
	atResponse
)

// findPoint returns the earliest point at which all inputs of the rule are known.
func findPoint(r *dsl.Rule) point {
	switch needs := r.Effective(); {
	case r.IsAboutResponse():
		return atResponse
	case needs&dsl.Targets != 0 && r.Action != dsl.Route: // a route is chosen by the target that is planned
		return atTarget
	case needs&dsl.Contents != 0:
		return atContent
	}
	return atIdentity
}

// plan contains the policies of one tenant in the order of evaluation.
type plan struct {
	set    *dsl.Set
	points [atResponse + 1][]int // places of rules
	allows []int                 // ALLOW rules asked before the content is known
	again  []int                 // rules asked once more about the model that is sent
	needs  dsl.Attrs             // of active and shadow policies
	// approves is true if a rule asks for approvals.
	approves bool
	shadow   []shadow
}

// shadow is a policy that is evaluated beside the active ones.
type shadow struct {
	policy *dsl.Policy
	set    *dsl.Set // the active policies with it
}

func newPlan(active, shadows []*dsl.Policy) *plan {
	p := &plan{set: dsl.NewSet(active)}
	p.needs = p.set.Needs()
	at := make([]point, len(p.set.Rules))
	for i := range at {
		at[i] = findPoint(p.set.Rules[i].Rule)
	}
	// A rule waits for the ALLOW rules that may exempt a request from it.
	for i := range p.set.Rules {
		for _, j := range p.set.ListExemptions(i) {
			if at[i] != atResponse {
				at[j] = max(at[j], at[i])
			}
		}
	}
	for i, where := range at {
		r := p.set.Rules[i].Rule
		p.approves = p.approves || r.Action == dsl.RequireApproval
		p.points[where] = append(p.points[where], i)
		if where == atIdentity && r.Action == dsl.Allow {
			p.allows = append(p.allows, i)
		}
		if where < atTarget && r.Needs().Has(dsl.Model) {
			p.again = append(p.again, i)
		}
	}
	for _, s := range shadows {
		list := []*dsl.Policy{s}
		for _, a := range active {
			if s.Replaces == "" || s.Replaces != a.ID && s.Replaces != a.Name {
				list = append(list, a)
			}
		}
		with := dsl.NewSet(list)
		p.needs |= with.Needs()
		p.shadow = append(p.shadow, shadow{policy: s, set: with})
	}
	return p
}

// isEmpty reports whether there is nothing to evaluate.
func (p *plan) isEmpty() bool { return len(p.set.Rules) == 0 && len(p.shadow) == 0 }

// plans are those of all tenants. They are immutable.
type plans struct {
	others  *plan // of tenants without policies of their own
	tenants map[string]*plan
}

// findPlan returns the plan of a tenant.
func (p *plans) findPlan(tenant string) *plan {
	if own, ok := p.tenants[tenant]; ok {
		return own
	}
	return p.others
}

// hasShadow reports whether any policy is in shadow mode.
func (p *plans) hasShadow() bool {
	if len(p.others.shadow) > 0 {
		return true
	}
	for _, own := range p.tenants {
		if len(own.shadow) > 0 {
			return true
		}
	}
	return false
}

// compilePlans creates plans from the records that are active or in shadow mode. The error names the policy whose text
// does not compile.
func compilePlans(records []policydoc.Record) (*plans, error) {
	active, shadows := map[string][]*dsl.Policy{}, map[string][]*dsl.Policy{}
	tenants := map[string]bool{}
	for i := range records {
		r := &records[i]
		if r.Status != policydoc.Active && r.Status != policydoc.Shadow {
			continue
		}
		p, err := parseRecord(r)
		if err != nil {
			return nil, fmt.Errorf("policy %q: %w", r.Name, err)
		}
		if r.Status == policydoc.Active {
			active[p.Tenant] = append(active[p.Tenant], p)
		} else {
			shadows[p.Tenant] = append(shadows[p.Tenant], p)
		}
		tenants[p.Tenant] = true
	}
	out := &plans{others: newPlan(active[""], shadows[""]), tenants: map[string]*plan{}}
	for tenant := range tenants {
		if tenant != "" {
			out.tenants[tenant] = newPlan(joinPolicies(active[""], active[tenant]), joinPolicies(shadows[""], shadows[tenant]))
		}
	}
	return out, nil
}

func joinPolicies(a, b []*dsl.Policy) []*dsl.Policy {
	return append(append(make([]*dsl.Policy, 0, len(a)+len(b)), a...), b...)
}

// parseRecord parses a record's text and applies the fields of the record to the policy.
func parseRecord(r *policydoc.Record) (*dsl.Policy, error) {
	p, err := dsl.Parse([]byte(r.DSL), r.Name, "")
	if err != nil {
		return nil, err
	}
	if p.Scoped && p.Tenant != r.Tenant {
		return nil, fmt.Errorf("the text has the scope %s, but the record has %q; omit scope from the text", p.Scope(), r.Tenant)
	}
	sum := sha256.Sum256([]byte(r.DSL))
	for i := range p.Rules {
		p.Rules[i].Revision = hex.EncodeToString(sum[:8])
	}
	p.ID, p.Tenant, p.Created, p.Version = r.ID, r.Tenant, r.Created, int(r.Version)
	return p, nil
}
