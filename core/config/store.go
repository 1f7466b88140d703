package config

import "time"

// Store is the database of records.
type Store struct {
	// URL is sqlite:<file>, relative to the working directory, or
	// postgres://user:password@host:5432/database?sslmode=verify-full for gateways that share a database. It may hold a
	// password, so it is never shown.
	URL string `yaml:"url" default:"sqlite:headgate.db" eg:"\"sqlite:headgate.db\"" secret:"true"`
}

// State is the store of counters and short-lived values.
type State struct {
	// URL is memory: for this process alone, or redis://host:6379/0 (rediss:// with TLS) for counters that gateways
	// share. It may hold a password, so it is never shown.
	URL string `yaml:"url" default:"memory:" eg:"\"memory:\"" secret:"true"`
}

// Memory limits what the gateway remembers of requests.
type Memory struct {
	// Verdicts limits the memory of what links found in texts, so that a history that is sent again with each turn is judged
	// once. It holds keyed hashes and positions, no text, and is empty after a restart. 0 turns it off.
	Verdicts ByteSize `yaml:"verdicts" default:"32MiB" min:"0" max:"16GiB"`
	// ShadowExamples is how many of the newest findings of each link in shadow mode are kept for the console, with redacted context.
	// They are empty after a restart. 0 turns the results of links in shadow mode off.
	ShadowExamples int `yaml:"shadow_examples" default:"200" min:"0" max:"5000"`
}

// Region is where this gateway runs; tenants and targets may require one.
type Region struct {
	// ID is the region as tenants and route targets write it.
	ID string `yaml:"id" eg:"eu-central"`
	// Name is the display name.
	Name string `yaml:"name" eg:"Frankfurt"`
}

// Cache is the response cache.
type Cache struct {
	// Enabled adds a cache link after all others, unless the chain has a cache link.
	Enabled bool `yaml:"enabled" default:"false"`
}

// Guardrail holds limits of the gateway itself.
type Guardrail struct {
	// DefaultMaxResponseTokens limits the answer to a request that sets no limit, in tokens. 0 turns it off.
	DefaultMaxResponseTokens int64 `yaml:"default_max_response_tokens" default:"4096" min:"0" max:"10000000"`
}

// Audit configures records of exchanges.
type Audit struct {
	// Exchanges records exchanges: audit events and usage. Without it the gateway only governs and routes.
	Exchanges bool `yaml:"exchanges" default:"true"`
	// Sync is `batch` to write records in batches (a kill can lose what was answered in about the last 400 ms),
	// `request` to make them durable before an answer, or the end of a streamed one, is sent.
	Sync AuditSync `yaml:"sync" default:"batch"`
	// Queue limits the memory of records that wait for the database, together with the room that is reserved for
	// exchanges under way (2 KiB each). While it is full, new exchanges are refused with 503.
	Queue ByteSize `yaml:"queue" default:"32MiB" min:"1MiB" max:"1GiB"`
	// Retention is how long records are kept. Older ones are removed up to a signed checkpoint, so the rest of the
	// chain can still be verified. 0 keeps all.
	Retention time.Duration `yaml:"retention" default:"0s" min:"0s" max:"876000h"`
	// UsageRetention is how long usage records are kept. Older ones are removed by whole days; their sums by hour and
	// day stay. 0 keeps all; otherwise at least 48h.
	UsageRetention time.Duration `yaml:"usage_retention" default:"0s" min:"0s" max:"876000h"`
	// GuardExports requires the consent of a second person for exports by the API, as the console always does.
	GuardExports bool `yaml:"guard_exports" default:"false"`
}

// AuditSync is when audit records become durable; "" is not set.
type AuditSync string

// The values of AuditSync.
const (
	SyncBatch   AuditSync = "batch"
	SyncRequest AuditSync = "request"
)

var _ choices = AuditSync("")

// Values lists the accepted words.
func (AuditSync) Values() []string { return []string{"batch", "request"} }

// Vault stores the sealed values behind placeholders.
type Vault struct {
	// TTL is how long a value is kept after its placeholder was last used.
	TTL time.Duration `yaml:"ttl" default:"720h" min:"1m" max:"87600h"`
}
