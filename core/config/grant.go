package config

// Grant narrows what a module may see and use. A list that is not written grants all
// that the module's manifest asks for, an empty one nothing.
type Grant struct {
	// Fields are values of the exchange that a stage may read.
	Fields []GrantField `yaml:"fields" eg:"[model, tenant]"`
	// Text are the sources of the texts that a module may read.
	Text []GrantText `yaml:"text" eg:"[user, tool_result]"`
	// Capabilities are functions of the host. A module that asks for others is refused.
	Capabilities []GrantCapability `yaml:"capabilities" eg:"[now]"`
}

// written reports that something is narrowed.
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

// Values lists the words that may be written: the names in wasm/abi, which this package
// does not know. A test holds them together.
func (GrantField) Values() []string {
	return []string{
		"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
		"effort", "exchange", "trace", "params", "tools", "metadata", "scopes", "status", "usage", "finish", "digest", "cost", "outcome",
		"estimate", "messages", "images", "task", "complete", "tier",
	}
}

// Values lists the words that may be written.
func (GrantText) Values() []string {
	return []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}
}

// Values lists the words that may be written.
func (GrantCapability) Values() []string {
	return []string{"now", "random", "state", "redact", "patch"}
}
