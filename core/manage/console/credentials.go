package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// Provider is a configured provider as the gateway sees it.
type Provider struct {
	Name, Type, Health string
	URL                string // where it is called; "": where its kind always is
	Key                string // how its key stands: set, missing, or not needed
	Capabilities       core.Capabilities
}

// credentials mounts the providers, their health and keys.
func (c *Console) credentials() {
	c.get("/credentials", auth.ProvidersRead, func(r *request) error {
		var list []Provider
		if c.Providers != nil {
			list = c.Providers()
		}
		return r.show("credentials", "Credentials", list)
	})
	c.get("/providers", "", func(r *request) error {
		r.Redirect(http.StatusFound, "/credentials")
		return nil
	})
}
