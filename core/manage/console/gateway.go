package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
)

// Playground calls models through the gateway of this node. See proxy.Proxy.
type Playground interface {
	ServeGrant(w http.ResponseWriter, r *http.Request, g proxy.Grant)
	Models() []string
	// Shadowable returns the links that may run in shadow mode for one exchange.
	Shadowable() []string
	// Providers returns the names of the providers, which one exchange may treat as down.
	Providers() []string
}

// readGatewayStatus returns the state of the gateway. It is empty for users of one workspace, since it concerns the platform.
func (r *request) readGatewayStatus() Status {
	if r.who.Tenant != "" {
		return Status{}
	}
	return r.c.Status()
}
