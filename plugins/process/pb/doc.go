// Package pb is the protocol of plugins that are processes of their own: the published
// grammar, process.proto, the Go code that protoc-gen-go makes of it, and the names
// that both sides share. "make proto" makes the code anew.
package pb

import "google.golang.org/grpc"

// Version is the version of the protocol, the second number of the handshake line.
const Version = 1

// The cookie that tells a plugin that it was started by a gateway. It keeps people from
// starting plugins by hand, and secures nothing.
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

// Bounds that both sides hold.
const (
	// MaxMessage is the largest message in bytes, unless the host says otherwise.
	MaxMessage = 16 << 20
	// FlowWindow is the flow-control window of streams in Go: how much is on its way at most.
	FlowWindow = 1 << 20
	// MaxKeep is how much a plugin may keep for one exchange, in bytes.
	MaxKeep = 4096
)

// Fields are the names of the fields of Exchange that a plugin may ask for.
var Fields = []string{
	"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
	"effort", "exchange", "trace", "tools", "scopes", "status", "usage", "outcome", "cost", "digest", "task", "finish",
}

// Texts are the names of the kinds of text that a plugin may ask for.
var Texts = []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}

// CapabilityState is the capability to take limits and to keep values.
const CapabilityState = "state"

// Capabilities are the names of what a plugin may ask to do.
var Capabilities = []string{CapabilityState}
