package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// providerHandlers serve the configured providers.
type providerHandlers struct {
	providers func() []Provider
}

// Provider is a configured provider as the gateway sees it.
type Provider struct {
	Name, Type, Health string
	URL                string // "" for the default address of its type
	Key                string // set, missing, or not needed
	Capabilities       route.Capabilities
}

// mount mounts the list of providers.
func (h *providerHandlers) mount(c *Console) {
	c.get("/credentials", auth.ProvidersRead, func(r *request) error {
		return r.show("credentials", "Credentials", h.providers())
	})
	c.get("/providers", "", func(r *request) error {
		r.Redirect(http.StatusFound, "/credentials")
		return nil
	})
}
