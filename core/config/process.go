package config

// Grant is what a process may see and do. "*" in a list stands for all that it asks for.
type Grant struct {
	// Fields are fields of the exchange, such as tenant, key_id and model: docs/process-plugins.md lists them.
	Fields []string `yaml:"fields" eg:"[tenant, model]"`
	// Texts are kinds of texts: system, user, assistant, tool_args, tool_result, reasoning, definition, other.
	Texts []string `yaml:"texts" eg:"[user, assistant]"`
	// Capabilities are what it may do: state, to take limits and to keep values.
	Capabilities []string `yaml:"capabilities" eg:"[state]"`
}

// IsZero reports that nothing is granted.
func (g Grant) IsZero() bool { return len(g.Fields)+len(g.Texts)+len(g.Capabilities) == 0 }
