package foreign

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Grant is what the operator lets foreign code see and use: a module, a process. What
// it does not ask for it does not get, whatever is granted. A nil list grants all that
// is asked for, an empty one nothing.
type Grant struct {
	Fields       []string // values of the exchange, by their names in the plugin ABI
	Text         []string // sources of text
	Capabilities []string
}

// Answerer makes the reply of an Answer out of a text, in the shape of the client that
// has sent the exchange's request, streamed where it asked for that. An error says that
// such a call is not answered in words.
type Answerer func(x *core.Exchange, text string) (*core.Payload, error)

// OwnHeaders are the beginnings of the names of headers that are the gateway's own.
var OwnHeaders = []string{
	"x-trace-id",
	"x-request-id",
	"x-gateway-",
	"x-should-retry",
	"x-accel-",
	"x-frame-options",
	"x-content-type-options",
}

// OwnHeader reports whether a header of answers is the gateway's own, which foreign code
// does not set. Case makes no difference.
func OwnHeader(name string) bool {
	for _, own := range OwnHeaders {
		if len(name) >= len(own) && strings.EqualFold(name[:len(own)], own) {
			return true
		}
	}
	return false
}

// PatchedModel returns the model that foreign code asks for, or "" if that is the model that the call has already. Code that
// hands back the name it was shown has chosen nothing: who has chosen a model reaches providers that clients do not.
func PatchedModel(x *core.Exchange, name string) string {
	if name = strings.TrimSpace(name); x != nil && (strings.EqualFold(name, x.Head.Model) || strings.EqualFold(name, x.Model())) {
		return ""
	}
	return name
}
