package store

// The database is divided by subject. Each of the types below gives access to one: it holds nothing but the database, so
// it costs nothing to make and may be copied. Its methods may be called from any goroutine.
type (
	// Approvals reads and writes the requests for approval and the consents that were given.
	Approvals struct{ db *DB }
	// Audit reads and writes the audit log: segments, checkpoints and the heads of the chains.
	Audit struct{ db *DB }
	// BatchFiles reads and writes the files of batches.
	BatchFiles struct{ db *DB }
	// BatchJobs reads and writes the batch jobs.
	BatchJobs struct{ db *DB }
	// Budgets reads and writes the budgets.
	Budgets struct{ db *DB }
	// ChainLayouts reads and writes the layouts of the chain, by version.
	ChainLayouts struct{ db *DB }
	// Config reads and writes the configuration version and the log of changes.
	Config struct{ db *DB }
	// Chargebacks reads and writes the chargeback reports that were generated.
	Chargebacks struct{ db *DB }
	// ComplianceReports reads and writes the compliance reports that were generated.
	ComplianceReports struct{ db *DB }
	// Usage reads and writes the usage records and the sums over them.
	Usage struct{ db *DB }
	// Fleet reads and writes what nodes and their control plane exchange.
	Fleet struct{ db *DB }
	// GuardrailPlugins reads and writes the guardrail plugins.
	GuardrailPlugins struct{ db *DB }
	// Keys reads and writes the API keys.
	Keys struct{ db *DB }
	// Licenses reads and writes the license and its state.
	Licenses struct{ db *DB }
	// OutputSchemas reads and writes the output schemas.
	OutputSchemas struct{ db *DB }
	// PATs reads and writes the personal access tokens.
	PATs struct{ db *DB }
	// Policies reads and writes the policies, with their versions.
	Policies struct{ db *DB }
	// ShadowEvents reads and writes the decisions of policies in shadow mode.
	ShadowEvents struct{ db *DB }
	// Prices reads and writes the prices of models.
	Prices struct{ db *DB }
	// Replies reads and writes the stored replies of idempotent requests.
	Replies struct{ db *DB }
	// Routes reads and writes the routes, with their versions.
	Routes struct{ db *DB }
	// Sessions reads and writes the console sessions and the one-time tokens.
	Sessions struct{ db *DB }
	// Settings reads and writes the named settings.
	Settings struct{ db *DB }
	// Tenants reads and writes the tenants.
	Tenants struct{ db *DB }
	// Users reads and writes the users.
	Users struct{ db *DB }
	// Vault reads and writes the vault keys and tokens.
	Vault struct{ db *DB }
	// Webhooks reads and writes the webhooks.
	Webhooks struct{ db *DB }
	// Outbox reads and writes the webhook events and their deliveries.
	Outbox struct{ db *DB }
)

// Approvals returns the requests for approval and the consents that were given.
func (db *DB) Approvals() Approvals { return Approvals{db} }

// Audit returns the audit log: segments, checkpoints and the heads of the chains.
func (db *DB) Audit() Audit { return Audit{db} }

// BatchFiles returns the files of batches.
func (db *DB) BatchFiles() BatchFiles { return BatchFiles{db} }

// BatchJobs returns the batch jobs.
func (db *DB) BatchJobs() BatchJobs { return BatchJobs{db} }

// Budgets returns the budgets.
func (db *DB) Budgets() Budgets { return Budgets{db} }

// ChainLayouts returns the layouts of the chain, by version.
func (db *DB) ChainLayouts() ChainLayouts { return ChainLayouts{db} }

// Config returns the configuration version and the log of changes.
func (db *DB) Config() Config { return Config{db} }

// Chargebacks returns the chargeback reports that were generated.
func (db *DB) Chargebacks() Chargebacks { return Chargebacks{db} }

// ComplianceReports returns the compliance reports that were generated.
func (db *DB) ComplianceReports() ComplianceReports { return ComplianceReports{db} }

// Usage returns the usage records and the sums over them.
func (db *DB) Usage() Usage { return Usage{db} }

// Fleet returns what nodes and their control plane exchange.
func (db *DB) Fleet() Fleet { return Fleet{db} }

// GuardrailPlugins returns the guardrail plugins.
func (db *DB) GuardrailPlugins() GuardrailPlugins { return GuardrailPlugins{db} }

// Keys returns the API keys.
func (db *DB) Keys() Keys { return Keys{db} }

// Licenses returns the license and its state.
func (db *DB) Licenses() Licenses { return Licenses{db} }

// OutputSchemas returns the output schemas.
func (db *DB) OutputSchemas() OutputSchemas { return OutputSchemas{db} }

// PATs returns the personal access tokens.
func (db *DB) PATs() PATs { return PATs{db} }

// Policies returns the policies, with their versions.
func (db *DB) Policies() Policies { return Policies{db} }

// ShadowEvents returns the decisions of policies in shadow mode.
func (db *DB) ShadowEvents() ShadowEvents { return ShadowEvents{db} }

// Prices returns the prices of models.
func (db *DB) Prices() Prices { return Prices{db} }

// Replies returns the stored replies of idempotent requests.
func (db *DB) Replies() Replies { return Replies{db} }

// Routes returns the routes, with their versions.
func (db *DB) Routes() Routes { return Routes{db} }

// Sessions returns the console sessions and the one-time tokens.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// Settings returns the named settings.
func (db *DB) Settings() Settings { return Settings{db} }

// Tenants returns the tenants.
func (db *DB) Tenants() Tenants { return Tenants{db} }

// Users returns the users.
func (db *DB) Users() Users { return Users{db} }

// Vault returns the vault keys and tokens.
func (db *DB) Vault() Vault { return Vault{db} }

// Webhooks returns the webhooks.
func (db *DB) Webhooks() Webhooks { return Webhooks{db} }

// Outbox returns the webhook events and their deliveries.
func (db *DB) Outbox() Outbox { return Outbox{db} }
