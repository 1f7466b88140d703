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
}

// written reports whether anything is limited.
func (g Grant) written() bool { return g.Fields != nil || g.Text != nil || g.Capabilities != nil }

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
		"estimate", "messages", "images", "task", "complete", "tier",
	}
}

// Values lists the accepted words.
func (GrantText) Values() []string {
	return []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}
}

// Values lists the accepted words.
func (GrantCapability) Values() []string {
	return []string{"now", "random", "state", "redact", "patch"}
}
