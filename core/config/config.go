package config

// Config is the whole file. Resource names are those of the administrative API. Treat it as read-only: a reload creates
// a new one.
type Config struct {
	// Role is what this process does: `all`; `control-plane` or `gateway` of a fleet; or `console` alone, over the
	// database of gateways.
	Role Role `yaml:"role" default:"all"`
	// Fleet configures a control plane and its nodes.
	Fleet Fleet `yaml:"fleet"`
	// Server configures the gateway's listeners and timeouts.
	Server Server `yaml:"server"`
	// Log configures the process log.
	Log Log `yaml:"log"`
	// Telemetry configures what the gateway exports about its work.
	Telemetry Telemetry `yaml:"telemetry"`
	// Store is the database of records: audit, usage, keys, the vault.
	Store Store `yaml:"store"`
	// State is the store of counters and short-lived values.
	State State `yaml:"state"`
	// Region is where this gateway runs.
	Region Region `yaml:"region"`
	// Providers are the model providers, by name.
	Providers map[string]Provider `yaml:"providers"`
	// Routes map models to providers.
	Routes []Route `yaml:"routes"`
	// Routing configures circuit breakers, retries and priorities for all routes.
	Routing Routing `yaml:"routing"`
	// Files says what the gateway does with files in requests that no link can judge, such as PDF: `refuse` or `pass`.
	Files FilesRule `yaml:"files" default:"refuse"`
	// HostedTools says what the gateway does with tools that run at the provider, such as web search: `refuse`, `strip`
	// removes them and names them in X-Gateway-Stripped-Tools, `pass` sends them to providers of the client's API.
	HostedTools HostedRule `yaml:"hosted_tools" default:"refuse" eg:"strip"`
	// MCPServers are MCP servers, by name. Clients reach them at /mcp/{name}.
	MCPServers map[string]MCPServer `yaml:"mcp_servers"`
	// VirtualServers join servers of `mcp_servers` under one address each, by name. Clients reach them at /mcp/{name}.
	VirtualServers map[string]VirtualServer `yaml:"virtual_servers"`
	// Agents are agents that other agents reach through the gateway, by name: at /a2a/{name}.
	Agents map[string]Agent `yaml:"agents"`
	// Batch configures files of requests and their batches.
	Batch Batch `yaml:"batch"`
	// Tenants are the tenants defined in this file. The administrative API cannot change them.
	Tenants []Tenant `yaml:"tenants"`
	// Plugins configures the folder of modules, and which are trusted.
	Plugins Plugins `yaml:"plugins"`
	// Chain is the ordered list of links. Requests pass it from first to last, answers from last to first.
	Chain []Link `yaml:"chain"`
	// Policies are the policies defined in this file. The gateway enforces them together with those in the database. A link
	// `stage: policy` in the chain chooses the place.
	Policies []Policy `yaml:"policies"`
	// Cache answers repeated requests. A link `stage: cache` in the chain offers more settings.
	Cache Cache `yaml:"cache"`
	// Pricing sets prices of models that the built-in price list lacks, or overrides them.
	Pricing []Price `yaml:"pricing"`
	// Budgets limit spending. A link `stage: budget` in the chain chooses the place.
	Budgets []Budget `yaml:"budgets"`
	// Costs configures cost anomalies.
	Costs Costs `yaml:"costs"`
	// Webhooks configures calls to event subscribers and guardrail plugins.
	Webhooks Webhooks `yaml:"webhooks"`
	// Guardrail holds limits that apply without any link.
	Guardrail Guardrail `yaml:"guardrail"`
	// Audit configures records of exchanges.
	Audit Audit `yaml:"audit"`
	// License is the installation's licence. By default the licence that an owner sets through the administrative API
	// applies.
	License License `yaml:"license"`
	// Capture records exchanges, redacted and sealed, so that a changed chain can be tested with them.
	Capture Capture `yaml:"capture"`
	// Admin configures the administrative API.
	Admin Admin `yaml:"admin"`
	// Console configures the web console.
	Console Console `yaml:"console"`
	// Vault stores the values behind placeholders.
	Vault Vault `yaml:"vault"`
	// Memory limits what the gateway remembers of requests to judge them faster.
	Memory Memory `yaml:"memory"`

	// File is the file as the caller named it, for messages.
	File string `yaml:"-"`
	// Digest is the SHA-256, in hex, of everything read, after variables and flags: equal digests mean equal
	// configurations. It covers secrets, so compare it inside the process and do not show it.
	Digest string `yaml:"-"`
	// Overrides names the keys set by variables and flags, for the log.
	Overrides []string `yaml:"-"`

	root *value // all of it, merged
}
