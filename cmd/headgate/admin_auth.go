package main

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/admin"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/sso"
	"github.com/headgate-dev/headgate/core/config"
)

// adminDoor asks who sends an administrative request.
type adminDoor struct{ *auth.Admin }

// Authenticate counts refusals by the address that the request came from. A proxy in front is one address: what clients
// say of themselves in headers, anybody can say.
func (d adminDoor) Authenticate(ctx context.Context, r *http.Request) (*auth.Actor, error) {
	return d.Admin.Authenticate(auth.WithAddress(ctx, r.RemoteAddr), r.Header)
}

// authenticator makes what lets people in to administer, as the configuration says at the start.
func (g *gateway) authenticator(cfg *config.Config) (*auth.Admin, error) {
	a := &cfg.Admin.Auth
	o := auth.AdminOptions{
		Store: g.rec.db, Witness: admin.Access{Audit: g.rec.audit}, Unchecked: !a.RBAC.Enabled,
		Report: func(err error) {
			g.tel.Log.Error().Err(err).Msg("administrative sign-in: something beside the request failed")
		},
	}
	if a.InUse() == config.AuthOIDC {
		v, err := sso.New(sso.Options{
			Issuer: a.OIDC.Issuer, Audience: a.OIDC.Audience, RolesClaim: a.OIDC.RolesClaim, TenantClaim: a.OIDC.TenantClaim,
			AnyRole: !a.RBAC.Enabled, Report: o.Report,
		})
		if err != nil {
			return nil, err
		}
		o.JWT = v
	}
	if !a.RBAC.Enabled {
		g.tel.Log.Warn().Msg("admin.auth.rbac.enabled is false: whoever has any valid credential may administer everything in reach")
	}
	return auth.NewAdmin(o), nil
}
