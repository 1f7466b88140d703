package budget

// settings are the stage's block of the configuration. The budgets themselves stand
// under budgets, where records of the administrative API are.
type settings struct {
	// DefaultOutput bounds an answer, in tokens, that neither the client nor the gateway
	// bounds: money can be held for an answer of known length only.
	DefaultOutput int64 `yaml:"default_output_tokens" default:"4096" min:"1" max:"10000000"`
	// LeastOutput is the shortest answer, in tokens, that a request is cut down to when
	// there is no room for the length that was asked for. A request that would get less
	// is refused. 0: none is cut down.
	LeastOutput int64 `yaml:"least_output_tokens" default:"16" min:"0" max:"10000000"`
	// WindowWarningPct is how full a model's context window may be before a warning is
	// sent. 0: none is.
	WindowWarningPct int64 `yaml:"context_window_warning_pct" default:"80" min:"0" max:"100"`
}
