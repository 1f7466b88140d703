package node

import (
	"context"
	"fmt"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/saml"
	"github.com/headgate-dev/headgate/core/auth/sso"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// adminAuthenticator authenticates administrative requests.
type adminAuthenticator struct {
	*auth.Admin
	proxies auth.Proxies
}

// Authenticate authenticates the request. It counts refusals by client address.
func (d adminAuthenticator) Authenticate(ctx context.Context, r *http.Request) (*auth.Actor, error) {
	return d.Admin.Authenticate(auth.WithAddress(ctx, d.proxies.FindClientAddress(r)), r.Header)
}

// entry is the identity provider for console sign-in. At most one field is set.
type entry struct {
	oidc *sso.Client
	saml *saml.Provider
}

// newAuthenticator builds the authentication of administrators from the configuration at start.
func (g *gateway) newAuthenticator(cfg *config.Config) (*auth.Admin, error) {
	a := &cfg.Admin.Auth
	o := auth.AdminOptions{
		Store: g.rec.DB, Recorder: admin.Access{Audit: g.rec.audit}, Unchecked: !a.RBAC.Enabled,
		Report: func(err error) {
			g.tel.Log.Error().Err(err).Msg("administrative sign-in: something beside the request failed")
		},
	}
	switch a.InUse() {
	case config.AuthOIDC:
		v, err := sso.New(sso.Options{
			Issuer: a.OIDC.Issuer, Audience: a.OIDC.Audience, RolesClaim: a.OIDC.RolesClaim, TenantClaim: a.OIDC.TenantClaim,
			AnyRole: !a.RBAC.Enabled, Report: o.Report,
		})
		if err != nil {
			return nil, err
		}
		o.JWT, o.Entry, o.Life = v, "oidc "+a.OIDC.Issuer, auth.EntryLife
		if a.OIDC.ClientID != "" {
			g.entry.oidc = v.NewClient(a.OIDC.ClientID, a.OIDC.ClientSecret.Reveal(), a.OIDC.Scopes)
		}
	case config.AuthSAML:
		p, err := saml.New(saml.Options{
			Metadata: a.SAML.Metadata, EntityID: a.SAML.EntityID, RolesAttribute: a.SAML.RolesAttribute, TenantAttribute: a.SAML.TenantAttribute,
			SubjectAttribute: a.SAML.SubjectAttribute, CertFile: a.SAML.CertFile, KeyFile: a.SAML.KeyFile,
			AnyRole: !a.RBAC.Enabled, Report: o.Report,
		})
		if err != nil {
			return nil, fmt.Errorf("admin.auth.saml: %w", err)
		}
		g.entry.saml, o.Entry, o.Life = p, "saml "+a.SAML.Metadata, auth.EntryLife
	}
	if !a.RBAC.Enabled {
		g.tel.Log.Warn().Msg("admin.auth.rbac.enabled is false: whoever has any valid credential may administer everything in reach")
	}
	return auth.NewAdmin(o), nil
}
