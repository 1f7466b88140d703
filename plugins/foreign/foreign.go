package foreign

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Grant is what the operator allows foreign code, a module or a process, to read and use. It never gets more than it
// requests. A nil list grants everything that is requested, an empty list nothing.
type Grant struct {
	Fields       []string // values of the exchange, by their names in the plugin ABI
	Text         []string // sources of text
	Capabilities []string
	// Scopes are those of the state that the code may use besides its own, see ParseScope, and Upstreams the names of those that it may
	// call. Of both, nothing is granted unless it is listed.
	Scopes, Upstreams []string
}

// Answerer returns a text as the reply of an Answer, in the shape of the client that sent the exchange's request,
// streamed if the client asked for a stream. It returns an error for a call that has no text reply.
type Answerer func(x *core.Exchange, text string) (*core.Payload, error)

// OwnHeaders are the name prefixes of headers that belong to the gateway.
var OwnHeaders = []string{
	"x-trace-id",
	"x-request-id",
	"x-gateway-",
	"x-should-retry",
	"x-accel-",
	"x-frame-options",
	"x-content-type-options",
}

// IsGatewayHeader reports whether a header of answers belongs to the gateway, so that foreign code must not set it.
// Case is ignored.
func IsGatewayHeader(name string) bool {
	for _, own := range OwnHeaders {
		if len(name) >= len(own) && strings.EqualFold(name[:len(own)], own) {
			return true
		}
	}
	return false
}

// FindPatchedModel returns the model that foreign code chooses, or "" if it is the current model of the call. Code that
// returns the name it was shown has chosen nothing. This matters because a chosen model may reach providers that
// clients cannot.
func FindPatchedModel(x *core.Exchange, name string) string {
	if name = strings.TrimSpace(name); x != nil && (strings.EqualFold(name, x.Head.Model) || strings.EqualFold(name, x.Model())) {
		return ""
	}
	return name
}
