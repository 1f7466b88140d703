package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// listResources returns the kinds in the order of import: records come after those that they refer to.
func listResources() []resource {
	tenant := newResource("tenants", "tenant", (*Service).Tenants,
		func(s Tenants, ctx context.Context, who *auth.Actor) (List[Tenant], error) {
			return s.List(ctx, who, Page{})
		},
		func(t Tenant) string { return t.Source })
	route := newResource("routes", "route", (*Service).Routes,
		func(s Routes, ctx context.Context, who *auth.Actor) (List[Route], error) {
			return s.List(ctx, who, Page{})
		},
		func(r Route) string { return r.Source })
	route.fill = fillWeights
	policy := newResource("policies", "policy", func(s *Service) configPolicies { return configPolicies{s.Policies()} },
		configPolicies.List,
		func(p ConfigPolicy) string { return p.source })
	price := newResource("prices", "price", (*Service).Prices,
		func(s Prices, ctx context.Context, who *auth.Actor) (List[Price], error) {
			return s.List(ctx, who, "", "", Page{})
		},
		func(p Price) string { return p.Source })
	budget := newResource("budgets", "budget", (*Service).Budgets,
		func(s Budgets, ctx context.Context, who *auth.Actor) (List[Budget], error) {
			return s.List(ctx, who, "", "", Page{})
		},
		func(b Budget) string { return b.Source })
	schema := newResource("schemas", "output schema", (*Service).OutputSchemas,
		func(s OutputSchemas, ctx context.Context, who *auth.Actor) (List[OutputSchema], error) {
			if !s.svc.License.IsLicensed(FeatureSchemas) {
				return newList([]OutputSchema(nil), Page{}, func(o OutputSchema) string { return o.ID })
			}
			return s.List(ctx, who, Page{})
		},
		func(OutputSchema) string { return store.SourceAPI })
	guardrail := newResource(
		"guardrail_plugins",
		"guardrail plugin",
		func(s *Service) configGuardrails { return configGuardrails{s.GuardrailPlugins()} },
		configGuardrails.List,
		func(configGuardrail) string { return store.SourceAPI },
	)
	webhook := newResource("webhooks", "webhook", func(s *Service) configWebhooks { return configWebhooks{s.Webhooks()} },
		configWebhooks.List,
		func(Webhook) string { return store.SourceAPI })
	server := newResource(kindServers, "MCP server", func(s *Service) configServers { return configServers{s.MCPServers()} },
		configServers.List,
		func(r namedRecord[MCPServer]) string { return r.view.Source })
	virtual := newResource(kindVirtual, "virtual server", func(s *Service) configVirtual { return configVirtual{s.VirtualServers()} },
		configVirtual.List,
		func(r namedRecord[VirtualServer]) string { return r.view.Source })
	agent := newResource("agents", "agent", func(s *Service) configAgents { return configAgents{s.Agents()} },
		configAgents.List,
		func(r namedRecord[Agent]) string { return r.view.Source })
	return []resource{tenant, route, policy, price, budget, schema, guardrail, webhook, server, virtual, agent}
}

// fillWeights adds the default weight to targets without one.
func fillWeights(r ConfigRecord) {
	list, _ := r["providers"].([]any)
	for _, x := range list {
		if t, ok := x.(map[string]any); ok && t["weight"] == nil {
			t["weight"] = json.Number("1")
		}
	}
}
