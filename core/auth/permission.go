package auth

import "slices"

// Permission is a permission that operations of the administrative API require.
type Permission string

// The permissions. Only the owner has those without a grant below.
const (
	TenantsRead    Permission = "tenants:read"
	TenantsCreate  Permission = "tenants:create"
	TenantsUpdate  Permission = "tenants:update"
	TenantsDelete  Permission = "tenants:delete"
	KeysRead       Permission = "keys:read"
	KeysCreate     Permission = "keys:create"
	KeysManage     Permission = "keys:manage"    // change, revoke and rotate
	KeysOwn        Permission = "keys:own"       // the same for the keys that the caller has created
	KeysUnlimited  Permission = "keys:unlimited" // create one without scopes
	MembersRead    Permission = "members:read"
	MembersWrite   Permission = "members:write"
	UsersRead      Permission = "users:read"
	UsersWrite     Permission = "users:write"
	TokensOfOthers Permission = "tokens:of-others" // the caller's own tokens need no permission

	ProvidersRead  Permission = "providers:read"
	ProvidersWrite Permission = "providers:write" // and their credentials
	LatencyRead    Permission = "latency:read"
	PriorityRead   Permission = "priority:read"
	RoutesRead     Permission = "routes:read"
	RoutesWrite    Permission = "routes:write"

	PoliciesRead   Permission = "policies:read"
	PoliciesWrite  Permission = "policies:write"
	PoliciesDryRun Permission = "policies:dry-run"
	PoliciesShadow Permission = "policies:shadow" // read shadow results

	GuardrailsRead   Permission = "guardrails:read"
	GuardrailsWrite  Permission = "guardrails:write"
	GuardrailsRotate Permission = "guardrails:rotate"
	SchemasRead      Permission = "schemas:read"
	SchemasWrite     Permission = "schemas:write"
	PluginsRead      Permission = "plugins:read"
	PluginsWrite     Permission = "plugins:write"
	ChainRead        Permission = "chain:read"
	ChainWrite       Permission = "chain:write"
	MCPRead          Permission = "mcp:read"
	MCPWrite         Permission = "mcp:write" // add, change and delete MCP servers; decide about definitions of tools
	AgentsRead       Permission = "agents:read"
	AgentsWrite      Permission = "agents:write"
	Detokenize       Permission = "pii:detokenize"
	TokensDelete     Permission = "pii:delete"

	PricingRead  Permission = "pricing:read"
	PricingWrite Permission = "pricing:write"
	CostsRead    Permission = "costs:read"
	BudgetsRead  Permission = "budgets:read"
	BudgetsWrite Permission = "budgets:write"
	Chargeback   Permission = "chargeback"
	UsageRead    Permission = "usage:read"

	AuditRead     Permission = "audit:read"
	ReportsRead   Permission = "reports:read"
	ReportsWrite  Permission = "reports:write"
	Approve       Permission = "approvals"
	WebhooksRead  Permission = "webhooks:read"
	WebhooksWrite Permission = "webhooks:write"
	LicenseRead   Permission = "license:read"
	LicenseWrite  Permission = "license:write"
	ConfigRead    Permission = "config:read"
	ConfigWrite   Permission = "config:write"
	FleetRead     Permission = "fleet:read"
)

// ListPermissions returns all permissions in the order of this file.
func ListPermissions() []Permission {
	return []Permission{
		TenantsRead, TenantsCreate, TenantsUpdate, TenantsDelete, KeysRead, KeysCreate, KeysManage, KeysOwn, KeysUnlimited,
		MembersRead, MembersWrite, UsersRead, UsersWrite, TokensOfOthers, ProvidersRead, ProvidersWrite, LatencyRead, PriorityRead,
		RoutesRead, RoutesWrite, PoliciesRead, PoliciesWrite, PoliciesDryRun, PoliciesShadow, GuardrailsRead,
		GuardrailsWrite, GuardrailsRotate, SchemasRead, SchemasWrite, PluginsRead, PluginsWrite, ChainRead, ChainWrite,
		MCPRead, MCPWrite, AgentsRead, AgentsWrite, Detokenize, TokensDelete, PricingRead, PricingWrite, CostsRead, BudgetsRead, BudgetsWrite,
		Chargeback, UsageRead,
		AuditRead, ReportsRead, ReportsWrite, Approve, WebhooksRead, WebhooksWrite, LicenseRead, LicenseWrite, ConfigRead,
		ConfigWrite, FleetRead,
	}
}

// grants lists the permissions of each role except the owner: the specification's table of roles and, where it says nothing,
// money for the billing-admin and reads of the own tenant for the roles of a tenant. The auditor has every permission to read.
var grants = map[Role][]Permission{
	RolePolicyAdmin: {
		TenantsRead, RoutesRead, RoutesWrite, ProvidersRead, PoliciesRead, PoliciesWrite, PoliciesDryRun, PoliciesShadow,
		GuardrailsRead, GuardrailsWrite, SchemasRead, SchemasWrite, PluginsRead, PluginsWrite, ChainRead, ChainWrite,
		MCPRead, MCPWrite, AgentsRead, AgentsWrite, AuditRead, ReportsRead, ReportsWrite, Approve, Detokenize, LicenseRead,
	},
	RoleBillingAdmin: {
		TenantsRead, PricingRead, PricingWrite, CostsRead, BudgetsRead, BudgetsWrite, Chargeback, UsageRead, LicenseRead,
	},
	RoleAuditor: {
		TenantsRead, KeysRead, MembersRead, UsersRead, ProvidersRead, LatencyRead, PriorityRead, RoutesRead, PoliciesRead, PoliciesShadow,
		GuardrailsRead, SchemasRead, PluginsRead, ChainRead, MCPRead, AgentsRead, PricingRead, CostsRead, BudgetsRead, UsageRead,
		AuditRead, ReportsRead, WebhooksRead, LicenseRead, ConfigRead, FleetRead,
	},
	RoleAdmin: {
		TenantsRead, TenantsUpdate, KeysRead, KeysCreate, KeysManage, KeysOwn, KeysUnlimited, MembersRead, MembersWrite, RoutesRead, PoliciesRead,
		CostsRead, BudgetsRead, UsageRead, LicenseRead,
	},
	RoleDeveloper: {
		TenantsRead, KeysRead, KeysCreate, KeysOwn, MembersRead, RoutesRead, PoliciesRead, PoliciesDryRun, PoliciesShadow, CostsRead,
		BudgetsRead, UsageRead, LicenseRead,
	},
	RoleViewer: {
		TenantsRead, KeysRead, MembersRead, RoutesRead, PoliciesRead, PoliciesShadow, CostsRead, BudgetsRead, UsageRead,
		LicenseRead,
	},
}

// Grants reports whether the role has the permission p.
func (r Role) Grants(p Permission) bool {
	return r == RoleOwner || slices.Contains(grants[r], p)
}
