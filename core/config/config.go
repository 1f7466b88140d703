package config

// Config is the whole file. Resource names are those of the administrative API.
// It is a value to read: a reload makes a new one.
type Config struct {
	// Role says what this process does: all, the control-plane of a fleet, the gateway of one, or the console alone, over the database of gateways.
	Role Role `yaml:"role" default:"all"`
	// Fleet is what a control plane and its nodes share.
	Fleet Fleet `yaml:"fleet"`
	// Server says where the gateway listens and how long it waits.
	Server Server `yaml:"server"`
	// Log says what is logged, and how.
	Log Log `yaml:"log"`
	// Telemetry is what the gateway tells other systems of its work.
	Telemetry Telemetry `yaml:"telemetry"`
	// Store holds records: audit, usage, keys, the vault.
	Store Store `yaml:"store"`
	// State holds counters and short-lived values.
	State State `yaml:"state"`
	// Region is where this gateway runs.
	Region Region `yaml:"region"`
	// Providers are the model providers by name.
	Providers map[string]Provider `yaml:"providers"`
	// Routes lead models to providers.
	Routes []Route `yaml:"routes"`
	// Routing says how calls are spread and repeated, whatever route they take.
	Routing Routing `yaml:"routing"`
	// Batch bounds files of requests and the batches made of them.
	Batch Batch `yaml:"batch"`
	// Tenants are the tenants kept in this file. They cannot be changed through the administrative API.
	Tenants []Tenant `yaml:"tenants"`
	// Plugins says where modules are dropped in, and which are trusted.
	Plugins Plugins `yaml:"plugins"`
	// Chain is the ordered list of links that every request passes, and every answer passes in reverse.
	Chain []Link `yaml:"chain"`
	// Policies are the policies kept in this file. The policy link of the chain enforces them, with those of the database.
	Policies []Policy `yaml:"policies"`
	// Cache answers requests from the answers to equal ones. A link of the chain, stage: cache, can say more.
	Cache Cache `yaml:"cache"`
	// Pricing is what models cost, where the gateway's own price list does not know it or knows it otherwise.
	Pricing []Price `yaml:"pricing"`
	// Budgets bound what is spent. A link of the chain, stage: budget, holds exchanges to them.
	Budgets []Budget `yaml:"budgets"`
	// Costs says what is unusual about what was spent.
	Costs Costs `yaml:"costs"`
	// Webhooks says how subscribers of events and guardrail plugins are called.
	Webhooks Webhooks `yaml:"webhooks"`
	// Guardrail holds limits that hold without any link of the chain.
	Guardrail Guardrail `yaml:"guardrail"`
	// Audit says when records of exchanges become durable.
	Audit Audit `yaml:"audit"`
	// License is the installation's licence. Without one here, it is the one that an owner has set through the administrative API.
	License License `yaml:"license"`
	// Capture keeps exchanges, redacted and sealed, so that a changed chain can be tried on them.
	Capture Capture `yaml:"capture"`
	// Admin is the administrative API.
	Admin Admin `yaml:"admin"`
	// Console is the web application over the administrative operations.
	Console Console `yaml:"console"`
	// Vault keeps the values behind placeholders.
	Vault Vault `yaml:"vault"`

	// File is the file as the caller named it, for messages.
	File string `yaml:"-"`
	// Digest is the SHA-256, in hex, of everything read, with variables and flags
	// put in: equal digests mean equal configurations. It covers secrets, so it
	// is for comparing inside the process, not for showing.
	Digest string `yaml:"-"`
	// Overrides names the keys that variables and flags set, for the log.
	Overrides []string `yaml:"-"`

	root *value // all of it, merged
}
