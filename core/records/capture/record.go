package capture

import (
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Record is one exchange as it is kept.
type Record struct {
	ID        string         `json:"id"`
	At        time.Time      `json:"at"`
	Dialect   string         `json:"dialect"`
	Like      string         `json:"like,omitempty"`
	Model     string         `json:"model"` // as the path or the body names it
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

	// Request and Response are bodies after redaction. They are empty when there was
	// none, or it could not be redacted or was too large: Left says which.
	Request  []byte `json:"request,omitempty"`
	Response []byte `json:"response,omitempty"`
	Left     string `json:"left,omitempty"`
}
