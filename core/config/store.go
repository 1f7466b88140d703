package config

import "time"

// Store is the database of records.
type Store struct {
	// URL is sqlite:<file>, relative to the working directory, or postgres://user:password@host:5432/database?sslmode=verify-full for gateways that share one. It may hold a password, so it is not for showing.
	URL string `yaml:"url" default:"sqlite:headgate.db" eg:"\"sqlite:headgate.db\"" secret:"true"`
}

// State is where counters and short-lived values live.
type State struct {
	// URL is memory: for this process alone, or redis://host:6379/0 (rediss:// with TLS) for counters that gateways share. It may hold a password, so it is not for showing.
	URL string `yaml:"url" default:"memory:" eg:"\"memory:\"" secret:"true"`
}

// Region names where this gateway runs; tenants and targets may ask for one.
type Region struct {
	// ID is the region as tenants and route targets write it.
	ID string `yaml:"id" eg:"eu-central"`
	// Name is the region as people read it.
	Name string `yaml:"name" eg:"Frankfurt"`
}

// Cache is the response cache.
type Cache struct {
	// Enabled puts a cache link behind all others, unless the chain has a link of that stage.
	Enabled bool `yaml:"enabled" default:"false"`
}

// Guardrail holds limits of the gateway itself.
type Guardrail struct {
	// DefaultMaxResponseTokens caps the answer of a request that sets no limit, in tokens. 0 turns it off.
	DefaultMaxResponseTokens int64 `yaml:"default_max_response_tokens" default:"4096" min:"0" max:"10000000"`
}

// Audit is the log of exchanges.
type Audit struct {
	// Exchanges says whether exchanges leave records: audit events and usage. Without them the gateway guards and routes only.
	Exchanges bool `yaml:"exchanges" default:"true"`
	// Sync is batch to write records in batches (a kill can lose the last 50 ms), request to make them durable before the answer.
	Sync AuditSync `yaml:"sync" default:"batch"`
	// Retention is how long records are kept; older ones are removed, up to a signed checkpoint, and the chains stay proven. 0 keeps all.
	Retention time.Duration `yaml:"retention" default:"0s" min:"0s" max:"876000h"`
	// GuardExports makes exports by the API wait for the consent of a second person, as those of the console always do.
	GuardExports bool `yaml:"guard_exports" default:"false"`
}

// AuditSync says when audit records become durable; "" is not set.
type AuditSync string

// The ways to write audit records.
const (
	SyncBatch   AuditSync = "batch"
	SyncRequest AuditSync = "request"
)

var _ choices = AuditSync("")

// Values lists the words that may be written.
func (AuditSync) Values() []string { return []string{"batch", "request"} }

// Vault keeps the sealed values behind placeholders.
type Vault struct {
	// TTL is how long a value is kept after a placeholder was last seen.
	TTL time.Duration `yaml:"ttl" default:"720h" min:"1m" max:"87600h"`
}
