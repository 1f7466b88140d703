package config

// Grant limits what a module may see and use. An omitted list grants everything that the module's manifest requests, an
// empty list nothing.
type Grant struct {
	// Fields are the values of the exchange that a stage may read.
	Fields []GrantField `yaml:"fields" eg:"[model, tenant]"`
	// Text are the sources of text that a module may read.
	Text []GrantText `yaml:"text" eg:"[user, tool_result]"`
	// Capabilities are the host functions that a module may call. A module that requests others is refused.
	Capabilities []GrantCapability `yaml:"capabilities" eg:"[now]"`
	// Scopes are parts of the state that a plugin with the capability state may use besides its own: `platform` for one set of
	// keys for all tenants, `shared:NAME` for keys that all links with this grant share, `platform:NAME` for both. Nothing is
	// granted unless it is listed.
	Scopes []string `yaml:"scopes" eg:"[\"shared:team-limits\"]"`
	// Upstreams are the names of the entries of plugins.upstreams that a plugin with the capability call may call. Nothing is
	// granted unless it is listed.
	Upstreams []string `yaml:"upstreams" eg:"[classifier]"`
}

// hasLimits reports whether anything is limited.
func (g Grant) hasLimits() bool {
	return g.Fields != nil || g.Text != nil || g.Capabilities != nil || g.Scopes != nil || g.Upstreams != nil
}

// GrantField is a field of the plugin ABI, by name.
type GrantField string

// GrantText is a source of text of the plugin ABI, by name.
type GrantText string

// GrantCapability is a capability of the plugin ABI, by name.
type GrantCapability string

var (
	_ choices = GrantField("")
	_ choices = GrantText("")
	_ choices = GrantCapability("")
)

// Values lists the accepted words: the names in wasm/abi, which this package does not import. A test compares them.
func (GrantField) Values() []string {
	return []string{
		"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
		"effort", "exchange", "trace", "params", "tools", "metadata", "scopes", "status", "usage", "finish", "digest", "cost", "outcome",
		"estimate", "messages", "images", "task", "complete", "tier", "findings", "key_tags", "tenant_tags", "key_metadata",
		"tenant_metadata", "key_expires", "address", "price", "window", "tool_types", "budgets", "lineage", "bare_model",
		"reserve", "input_count", "prompt_tokens", "attempts", "headers", "token_cap", "places", "format",
	}
}

// Values lists the accepted words.
func (GrantText) Values() []string {
	return []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}
}

// Values lists the accepted words.
func (GrantCapability) Values() []string {
	return []string{"now", "random", "state", "redact", "patch", "notify", "call", "restore", "body"}
}
