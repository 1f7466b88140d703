package admin

// Agents are the operations on agents that clients reach over the A2A protocol.
type Agents struct{ svc *Service }

// Agents returns the operations on agents that clients reach over the A2A protocol.
func (s *Service) Agents() Agents { return Agents{s} }

// Approvals are the operations on the queue of requests that need a second person.
type Approvals struct{ svc *Service }

// Approvals returns the operations on the queue of requests that need a second person.
func (s *Service) Approvals() Approvals { return Approvals{s} }

// AuditLog are the operations on the audit chains: reading, verifying and exporting them.
type AuditLog struct{ svc *Service }

// AuditLog returns the operations on the audit chains: reading, verifying and exporting them.
func (s *Service) AuditLog() AuditLog { return AuditLog{s} }

// Budgets are the operations on spending limits.
type Budgets struct{ svc *Service }

// Budgets returns the operations on spending limits.
func (s *Service) Budgets() Budgets { return Budgets{s} }

// ChainEditor are the operations on the layout of the chain of stages.
type ChainEditor struct{ svc *Service }

// Chain returns the operations on the layout of the chain of stages.
func (s *Service) Chain() ChainEditor { return ChainEditor{s} }

// Chargebacks are the operations on chargeback reports: the costs of tenants over a period.
type Chargebacks struct{ svc *Service }

// Chargebacks returns the operations on chargeback reports: the costs of tenants over a period.
func (s *Service) Chargebacks() Chargebacks { return Chargebacks{s} }

// Costs are the operations on the costs of past exchanges.
type Costs struct{ svc *Service }

// Costs returns the operations on the costs of past exchanges.
func (s *Service) Costs() Costs { return Costs{s} }

// Exchanges are the operations on past exchanges and the traffic that they add up to.
type Exchanges struct{ svc *Service }

// Exchanges returns the operations on past exchanges and the traffic that they add up to.
func (s *Service) Exchanges() Exchanges { return Exchanges{s} }

// GitOps are the operations on the export and import of records as one document.
type GitOps struct{ svc *Service }

// GitOps returns the operations on the export and import of records as one document.
func (s *Service) GitOps() GitOps { return GitOps{s} }

// GuardrailPlugins are the operations on remote guardrail plugins.
type GuardrailPlugins struct{ svc *Service }

// GuardrailPlugins returns the operations on remote guardrail plugins.
func (s *Service) GuardrailPlugins() GuardrailPlugins { return GuardrailPlugins{s} }

// Keys are the operations on gateway keys.
type Keys struct{ svc *Service }

// Keys returns the operations on gateway keys.
func (s *Service) Keys() Keys { return Keys{s} }

// Licenses are the operations on the licence of the installation.
type Licenses struct{ svc *Service }

// Licenses returns the operations on the licence of the installation.
func (s *Service) Licenses() Licenses { return Licenses{s} }

// MCPServers are the operations on MCP servers and their pinned definitions.
type MCPServers struct{ svc *Service }

// MCPServers returns the operations on MCP servers and their pinned tool definitions.
func (s *Service) MCPServers() MCPServers { return MCPServers{s} }

// Members are the operations on the users of one tenant.
type Members struct{ svc *Service }

// Members returns the operations on the users of one tenant.
func (s *Service) Members() Members { return Members{s} }

// Nodes are the operations on the nodes of the fleet.
type Nodes struct{ svc *Service }

// Nodes returns the operations on the nodes of the fleet.
func (s *Service) Nodes() Nodes { return Nodes{s} }

// OutputSchemas are the operations on schemas that answers must match.
type OutputSchemas struct{ svc *Service }

// OutputSchemas returns the operations on schemas that answers must match.
func (s *Service) OutputSchemas() OutputSchemas { return OutputSchemas{s} }

// PATs are the operations on personal access tokens.
type PATs struct{ svc *Service }

// PATs returns the operations on personal access tokens.
func (s *Service) PATs() PATs { return PATs{s} }

// PII are the operations on the vault of redacted values.
type PII struct{ svc *Service }

// PII returns the operations on the vault of redacted values.
func (s *Service) PII() PII { return PII{s} }

// Plugins are the operations on installed plugin files.
type Plugins struct{ svc *Service }

// Plugins returns the operations on installed plugin files.
func (s *Service) Plugins() Plugins { return Plugins{s} }

// Policies are the operations on policies.
type Policies struct{ svc *Service }

// Policies returns the operations on policies.
func (s *Service) Policies() Policies { return Policies{s} }

// Prices are the operations on prices of models.
type Prices struct{ svc *Service }

// Prices returns the operations on prices of models.
func (s *Service) Prices() Prices { return Prices{s} }

// Providers are the operations on the configured providers.
type Providers struct{ svc *Service }

// Providers returns the operations on the configured providers.
func (s *Service) Providers() Providers { return Providers{s} }

// Reports are the operations on compliance reports.
type Reports struct{ svc *Service }

// Reports returns the operations on compliance reports.
func (s *Service) Reports() Reports { return Reports{s} }

// Routes are the operations on routes.
type Routes struct{ svc *Service }

// Routes returns the operations on routes.
func (s *Service) Routes() Routes { return Routes{s} }

// Tenants are the operations on tenants.
type Tenants struct{ svc *Service }

// Tenants returns the operations on tenants.
func (s *Service) Tenants() Tenants { return Tenants{s} }

// Users are the operations on users.
type Users struct{ svc *Service }

// Users returns the operations on users.
func (s *Service) Users() Users { return Users{s} }

// VirtualServers are the operations on virtual servers, which join MCP servers under one address.
type VirtualServers struct{ svc *Service }

// VirtualServers returns the operations on virtual servers, which join MCP servers under one address.
func (s *Service) VirtualServers() VirtualServers { return VirtualServers{s} }

// Webhooks are the operations on webhook subscriptions and their deliveries.
type Webhooks struct{ svc *Service }

// Webhooks returns the operations on webhook subscriptions and their deliveries.
func (s *Service) Webhooks() Webhooks { return Webhooks{s} }
