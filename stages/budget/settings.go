package budget

import (
	"errors"
	"time"
)

// settings are the stage's block of the configuration. The budgets themselves are under budgets, and among the records
// of the administrative API.
type settings struct {
	// DefaultOutput limits an answer, in tokens, that neither the client nor the gateway limits, because money can only
	// be held for an answer of known length.
	DefaultOutput int64 `yaml:"default_output_tokens" default:"4096" min:"1" max:"10000000"`
	// MinOutput is the shortest answer, in tokens, to which a request is shortened if there is no room for the
	// requested length. A request that would get less is refused. 0: requests are never shortened.
	MinOutput int64 `yaml:"least_output_tokens" default:"16" min:"0" max:"10000000"`
	// WindowWarningPct is how full a model's context window may be before a warning is sent, in percent. 0: never.
	WindowWarningPct int64 `yaml:"context_window_warning_pct" default:"80" min:"0" max:"100"`
	// Hold is how long a reservation outlives a gateway that has died, if gateways share their state.
	Hold time.Duration `yaml:"hold" default:"1m" min:"1s" max:"24h"`
}

// defaults apply to omitted settings.
var defaults = settings{DefaultOutput: 4096, MinOutput: 16, WindowWarningPct: 80, Hold: time.Minute}

func (c *settings) check() error {
	switch {
	case c.DefaultOutput < 1:
		return errors.New("default_output_tokens: write 1 or more")
	case c.MinOutput < 0:
		return errors.New("least_output_tokens: write 0 or more")
	case c.WindowWarningPct < 0 || c.WindowWarningPct > 100:
		return errors.New("context_window_warning_pct: write 0 to 100")
	case c.Hold < time.Second || c.Hold > 24*time.Hour:
		return errors.New("hold: write 1s to 24h")
	}
	return nil
}
