package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
)

// Playground asks models through the gateway of this node. See proxy.Proxy.
type Playground interface {
	Try(w http.ResponseWriter, r *http.Request, g proxy.Grant)
	Models() []string
	// Shadowable are the links that may be put into shadow mode for one exchange.
	Shadowable() []string
}

// status is how the gateway does, as far as the reader may know: what concerns the whole platform is not shown to those
// of one workspace.
func (r *request) status() Status {
	if r.who.Tenant != "" {
		return Status{}
	}
	return r.c.Status()
}
