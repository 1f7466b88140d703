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

// Fields are the names of the fields of Exchange that a plugin may request.
var Fields = []string{
	"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
	"effort", "exchange", "trace", "tools", "scopes", "status", "usage", "outcome", "cost", "digest", "task", "finish",
}

// Texts are the names of the kinds of text that a plugin may request.
var Texts = []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}

// CapabilityState is the capability to take limits and to store values.
const CapabilityState = "state"

// Capabilities are the names of the capabilities that a plugin may request.
var Capabilities = []string{CapabilityState}
