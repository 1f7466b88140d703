package console

import (
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
)

// section is a part of the menu.
type section struct {
	Name  string
	Items []item
}

// item is a link of the menu.
type item struct {
	Name, Path string
	needs      auth.Permission // "" for every user
	Current    bool
}

// listSections returns the sections of the menu.
func listSections() []section {
	return []section{
		{"Traffic", []item{
			{Name: "Overview", Path: "/"},
			{Name: "Requests", Path: "/requests"},
			{Name: "Playground", Path: "/try"},
		}},
		{"Gateway", []item{
			{Name: "Workspaces", Path: "/workspaces", needs: auth.TenantsRead},
			{Name: "Routes", Path: "/routes", needs: auth.RoutesRead},
			{Name: "Models", Path: "/models"},
			{Name: "Providers", Path: "/credentials", needs: auth.ProvidersRead},
			{Name: "MCP servers", Path: "/mcp-servers", needs: auth.MCPRead},
			{Name: "Agents", Path: "/agents", needs: auth.AgentsRead},
			{Name: "Latency", Path: "/latency", needs: auth.LatencyRead},
		}},
		{"Governance", []item{
			{Name: "Chain", Path: "/chain", needs: auth.ChainRead},
			{Name: "Plugins", Path: "/plugins", needs: auth.PluginsRead},
			{Name: "Guardrail plugins", Path: "/guardrail-plugins", needs: auth.GuardrailsRead},
			{Name: "Policies", Path: "/policies", needs: auth.PoliciesRead},
			{Name: "Output schemas", Path: "/schemas", needs: auth.SchemasRead},
			{Name: "PII vault", Path: "/pii", needs: auth.Detokenize},
			{Name: "Approvals", Path: "/approvals", needs: auth.Approve},
			{Name: "Audit", Path: "/audit", needs: auth.AuditRead},
			{Name: "Compliance", Path: "/compliance", needs: auth.ReportsRead},
		}},
		{"Money", []item{
			{Name: "Costs", Path: "/costs", needs: auth.CostsRead},
			{Name: "Budgets", Path: "/budgets", needs: auth.BudgetsRead},
			{Name: "Pricing", Path: "/pricing", needs: auth.PricingRead},
			{Name: "Chargeback", Path: "/chargeback", needs: auth.Chargeback},
		}},
		{"Platform", []item{
			{Name: "Users", Path: "/users", needs: auth.UsersRead},
			{Name: "Webhooks", Path: "/webhooks", needs: auth.WebhooksRead},
			{Name: "Fleet", Path: "/fleet", needs: auth.FleetRead},
			{Name: "Configuration", Path: "/configuration", needs: auth.ConfigRead},
			{Name: "Licence", Path: "/license", needs: auth.LicenseRead},
		}},
	}
}

// buildMenu returns the menu for a user on a page, without the pages that the user has no permission to open.
func (c *Console) buildMenu(who *auth.Actor, path string) []section {
	var out []section
	for _, s := range c.sections {
		of := section{Name: s.Name}
		for _, i := range s.Items {
			if i.needs != "" && !who.Can(i.needs) {
				continue
			}
			i.Current = path == i.Path || i.Path != "/" && strings.HasPrefix(path, i.Path+"/")
			of.Items = append(of.Items, i)
		}
		if len(of.Items) > 0 {
			out = append(out, of)
		}
	}
	return out
}
