package budget

import (
	"errors"
	"time"
)

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
	// Hold is how long what is held outlives a gateway that has died, where gateways
	// share their state.
	Hold time.Duration `yaml:"hold" default:"1m" min:"1s" max:"24h"`
}

// defaults are what is not written.
var defaults = settings{DefaultOutput: 4096, LeastOutput: 16, WindowWarningPct: 80, Hold: time.Minute}

func (c *settings) check() error {
	switch {
	case c.DefaultOutput < 1:
		return errors.New("default_output_tokens: write 1 or more")
	case c.LeastOutput < 0:
		return errors.New("least_output_tokens: write 0 or more")
	case c.WindowWarningPct < 0 || c.WindowWarningPct > 100:
		return errors.New("context_window_warning_pct: write 0 to 100")
	case c.Hold < time.Second || c.Hold > 24*time.Hour:
		return errors.New("hold: write 1s to 24h")
	}
	return nil
}
