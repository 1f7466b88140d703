package capture

import (
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Record is one captured exchange.
type Record struct {
	ID        string         `json:"id"`
	At        time.Time      `json:"at"`
	Dialect   string         `json:"dialect"`
	Like      string         `json:"like,omitempty"`
	Model     string         `json:"model"` // as named in the path or the body
	Stream    bool           `json:"stream,omitempty"`
	Principal core.Principal `json:"principal"`

	Target   core.TargetRef `json:"target"`
	Usage    llm.Usage      `json:"usage"`
	Cost     int64          `json:"cost,omitempty"`
	Priced   bool           `json:"priced,omitempty"`
	Outcome  string         `json:"outcome"`
	By       string         `json:"by,omitempty"`
	Code     string         `json:"code,omitempty"`
	Status   int            `json:"status"`
	Complete bool           `json:"complete,omitempty"`

	// Request and Response are the redacted bodies. They are empty if the exchange had none, if redaction failed, or if
	// they were too large; Left says which.
	Request  []byte `json:"request,omitempty"`
	Response []byte `json:"response,omitempty"`
	Left     string `json:"left,omitempty"`
}
