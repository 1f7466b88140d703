package equal

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/plugins/foreign"
	personal "github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/policy/policytest"
	"github.com/headgate-dev/headgate/wasm"
)

// newPolicySubject returns the sample policy under the cases of policies.
func newPolicySubject(r *runtime) *policytest.Subject {
	return &policytest.Subject{
		Build: func(t testing.TB, d policytest.Deps) (chain.Link, error) {
			return r.on(t, "policy", formatPolicies(t, d.Policies), wasm.Options{Services: foreign.Services{
				Prices: d.Prices, Windows: d.Windows, Budgets: d.Budgets, Bare: d.Routes.StripPrefix, Now: d.Now,
			}})
		},
		Detector: func(t testing.TB) chain.Link {
			st, err := personal.New(policytest.DetectorSettings{}, nil)
			require.NoError(t, err)
			return chain.Link{Stage: st, Phases: personal.Phases}
		},
	}
}

// formatPolicies returns the texts of policies as settings of the sample.
func formatPolicies(t testing.TB, records []policydoc.Record) string {
	t.Helper()
	list := []map[string]any{}
	for i := range records {
		var p map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(records[i].DSL), &p))
		if p["name"] == nil {
			p["name"] = records[i].Name
		}
		p["id"] = records[i].ID
		if records[i].Tenant != "" {
			p["scope"] = "tenant:" + records[i].Tenant
		}
		list = append(list, p)
	}
	b, err := json.Marshal(map[string]any{"policies": list})
	require.NoError(t, err)
	return string(b)
}

func policy() stand {
	const members = "it is not a field, and rules on answers exclude the capability `body`"
	s := stand{stage: "policy", sample: "policy", language: "Rust", missing: map[string]string{
		"rules see headers": "plugins see no headers that could name the caller",
		"rules see files":   members,
		"rules have expressions, and deny when one fails unless they say skip": "the sample has no expressions; [Rego](plugins-foreign.md) has",
		"a route that nobody serves can be left out":                           "a plugin does not know who serves a model",
		"a rule that asks for approval refuses until there is one":             "a plugin cannot ask people",
		"models in lines of a batch are held against the rules on models":      "a plugin judges the lines themselves, as any request",
	}}
	s.apart = map[string]string{"rules see the time": "it moves the gateway's clock, and a process has its own"}
	for i := range policytest.Cases {
		s.cases = append(s.cases, policytest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) { policytest.Cases[i].Run(t, newPolicySubject(r)) }
	return s
}
