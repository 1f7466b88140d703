package store

// The database is divided by subject. Each of these types gives access to one; those of subjects that consist of records stand with
// their record. They hold nothing but the database, so they cost nothing and may be copied. Their methods may be called from any
// goroutine.
type (
	// Audit reads and writes the audit log: segments, checkpoints and the heads of the chains.
	Audit struct{ db *DB }
	// Config reads and writes the configuration version and the log of changes.
	Config struct{ db *DB }
	// Usage reads and writes the usage records and the sums over them.
	Usage struct{ db *DB }
	// Fleet reads and writes what nodes and their control plane exchange.
	Fleet struct{ db *DB }
	// Licenses reads and writes the license and its state.
	Licenses struct{ db *DB }
	// ShadowEvents reads and writes the decisions of policies in shadow mode.
	ShadowEvents struct{ db *DB }
	// Replies reads and writes the stored replies of idempotent requests.
	Replies struct{ db *DB }
	// Sessions reads and writes the console sessions and the one-time tokens.
	Sessions struct{ db *DB }
	// Settings reads and writes the named settings.
	Settings struct{ db *DB }
	// Vault reads and writes the vault keys and tokens.
	Vault struct{ db *DB }
	// Outbox reads and writes the webhook events and their deliveries.
	Outbox struct{ db *DB }
)

// Audit returns the audit log: segments, checkpoints and the heads of the chains.
func (db *DB) Audit() Audit { return Audit{db} }

// Config returns the configuration version and the log of changes.
func (db *DB) Config() Config { return Config{db} }

// Usage returns the usage records and the sums over them.
func (db *DB) Usage() Usage { return Usage{db} }

// Fleet returns what nodes and their control plane exchange.
func (db *DB) Fleet() Fleet { return Fleet{db} }

// Licenses returns the license and its state.
func (db *DB) Licenses() Licenses { return Licenses{db} }

// ShadowEvents returns the decisions of policies in shadow mode.
func (db *DB) ShadowEvents() ShadowEvents { return ShadowEvents{db} }

// Replies returns the stored replies of idempotent requests.
func (db *DB) Replies() Replies { return Replies{db} }

// Sessions returns the console sessions and the one-time tokens.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// Settings returns the named settings.
func (db *DB) Settings() Settings { return Settings{db} }

// Vault returns the vault keys and tokens.
func (db *DB) Vault() Vault { return Vault{db} }

// Outbox returns the webhook events and their deliveries.
func (db *DB) Outbox() Outbox { return Outbox{db} }
