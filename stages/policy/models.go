package policy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// CheckModel evaluates the rules that depend only on the model, the provider and the caller.
func (s *Stage) CheckModel(_ context.Context, p *core.Principal, model string, t core.TargetRef) *core.Error {
	pl := s.plans.Load().findPlan(p.Tenant)
	var ask []int
	f := dsl.Facts{Known: modelKnown, Whole: true, Now: s.deps.Now(), Provider: t.Provider}
	for i := range pl.set.Rules {
		r := pl.set.Rules[i].Rule
		needs := r.Effective()
		known := needs&^modelKnown == 0 || r.Any && r.When == "" && !r.IsAboutResponse() // one that is known may do
		if known && (needs.Has(dsl.Model) || needs.Has(dsl.Provider) || pl.set.Rules[i].Action == dsl.Allow) {
			ask = append(ask, i)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	noteCaller(&f, p)
	f.Asked = [2]string{model, s.trimRoute(model)}
	f.Sent = [3]string{model, f.Asked[1], t.Model}
	var d dsl.Decision
	d.Begin(pl.set)
	d.EvaluateRules(&f, ask)
	if d.Denier < 0 {
		return nil
	}
	return newDenial(d.FindReason(d.Denier))
}

// modelKnown are the inputs that are known for a line of a batch.
const modelKnown = dsl.Attrs(1)<<dsl.Model | 1<<dsl.Provider | 1<<dsl.TenantID | 1<<dsl.TenantMetadata | 1<<dsl.KeyID |
	1<<dsl.KeyScopes | 1<<dsl.KeyTags | 1<<dsl.KeyMetadata | 1<<dsl.KeyExpiry | 1<<dsl.Clock

func (s *Stage) trimRoute(model string) string {
	if s.deps.Routes == nil {
		return ""
	}
	return s.deps.Routes.StripPrefix(model)
}
