// Package pb is the protocol of plugins that run as separate processes: the published grammar, process.proto, the Go
// code that protoc-gen-go generates from it, and the names that both sides share. "make proto" generates the code
// again.
package pb

import "google.golang.org/grpc"

// Version is the version of the protocol, the second number of the handshake line.
const Version = 1

// The cookie tells a plugin that a gateway started it. It keeps people from starting plugins by hand, but is no
// security measure.
const (
	CookieKey   = "HEADGATE_PLUGIN"
	CookieValue = "process"
)

// Service and method that a plugin serves.
const (
	Service = "headgate.process.v1.Stage"
	Method  = "/" + Service + "/Run"
)

// RunDesc describes the one method, for the client's side.
var RunDesc = grpc.StreamDesc{StreamName: "Run", ServerStreams: true, ClientStreams: true}

// Limits that both sides enforce.
const (
	// MaxMessage is the largest message in bytes, unless the host says otherwise.
	MaxMessage = 16 << 20
	// FlowWindow is the flow-control window of streams in Go: the maximum number of bytes in flight.
	FlowWindow = 1 << 20
	// MaxKeep is how much a plugin may keep for one exchange, in bytes.
	MaxKeep = 4096
)

// Told is how many of Fields are fields of Exchange. A plugin asks for the value of the others, and places come with the texts.
const Told = 24

// Fields are the names of the fields that a plugin may request.
var Fields = []string{
	"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
	"effort", "exchange", "trace", "tools", "scopes", "status", "usage", "outcome", "cost", "digest", "task", "finish",
	"params", "metadata", "estimate", "messages", "images", "complete", "tier", "findings", "key_tags", "tenant_tags", "key_metadata",
	"tenant_metadata", "key_expires", "address", "price", "window", "tool_types", "budgets", "lineage", "bare_model",
	"reserve", "input_count", "prompt_tokens", "attempts", "headers", "token_cap", "places", "format",
}

// FieldPlaces is the field that comes with the texts.
const FieldPlaces = "places"

// Texts are the names of the kinds of text that a plugin may request.
var Texts = []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}

// Capabilities of a plugin.
const (
	CapabilityState   = "state"   // to take limits and to store values
	CapabilityBody    = "body"    // to read the whole body, and the answer at the end
	CapabilityRestore = "restore" // to read the caller's own values behind placeholders in answers
	CapabilityNotify  = "notify"  // to emit events about its limits
	CapabilityCall    = "call"    // to call the upstreams that the link grants
)

// Capabilities are the names of the capabilities that a plugin may request.
var Capabilities = []string{CapabilityState, CapabilityBody, CapabilityRestore, CapabilityNotify, CapabilityCall}
