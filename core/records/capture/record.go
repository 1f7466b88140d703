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

	// Tool is what was known of the tool that an MCP call names. Optional.
	Tool *Tool `json:"tool,omitempty"`
}

// Tool is what rules may know of a tool besides its call.
type Tool struct {
	Annotations map[string]any `json:"annotations,omitempty"` // of the trusted definition
	// Offered and Requested report whether the caller's clients had offered the tool to a model, and whether a model had
	// called it.
	Offered   bool `json:"offered,omitempty"`
	Requested bool `json:"requested,omitempty"`
}
