package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

func (c *checker) checkAdmin() {
	a := &c.cfg.Admin.Auth
	oidc, saml := a.OIDC.Issuer != "", a.SAML.Metadata != ""
	switch {
	case a.Mode == AuthOIDC && !oidc:
		c.addProblem("admin.auth.oidc.issuer", "is empty, and admin.auth.mode is oidc", "write the address of the identity provider")
	case a.Mode == AuthSAML && !saml:
		c.addProblem(
			"admin.auth.saml.metadata",
			"is empty, and admin.auth.mode is saml",
			"write the file or the address in which the identity provider describes itself",
		)
	case oidc && saml:
		c.addProblem(
			"admin.auth",
			"describes an identity provider of OpenID Connect and one of SAML: the modes exclude each other",
			"remove oidc or saml",
		)
	case a.Mode == AuthPassword && oidc:
		c.addProblem(
			"admin.auth.mode",
			"is password, and there is an issuer: the modes exclude each other",
			"write mode: oidc, or remove the issuer",
		)
	case a.Mode == AuthPassword && saml:
		c.addProblem(
			"admin.auth.mode",
			"is password, and there is an identity provider of SAML: the modes exclude each other",
			"write mode: saml, or remove its metadata",
		)
	}
	if oidc {
		c.checkOIDC(&a.OIDC)
	}
	if saml {
		c.checkSAML(&a.SAML)
	}
}

func (c *checker) checkOIDC(o *OIDC) {
	const path = "admin.auth.oidc."
	c.checkSSOProvider(path+"issuer", o.Issuer, "as the iss claim of its tokens has it")
	for key, text := range map[string]string{"audience": o.Audience, "roles_claim": o.RolesClaim, "tenant_claim": o.TenantClaim} {
		if text == "" {
			c.addProblem(path+key, "is empty", "omit it for the default")
		}
	}
	if !slices.Contains(strings.Fields(o.Scopes), "openid") {
		c.addProblem(path+"scopes", "lacks openid, which sign-in requires", "write scopes: openid profile email")
	}
	if o.ClientSecret.Reveal() != "" && o.ClientID == "" {
		c.addProblem(path+"client_id", "is empty, and there is a client_secret", "write the id of the console at the identity provider")
	}
}

func (c *checker) checkSAML(s *SAML) {
	const path = "admin.auth.saml."
	if s.IsRemote() {
		c.checkSSOProvider(path+"metadata", s.Metadata, "where the identity provider describes itself")
	}
	for key, text := range map[string]string{"roles_attribute": s.RolesAttribute, "tenant_attribute": s.TenantAttribute} {
		if text == "" {
			c.addProblem(path+key, "is empty", "omit it for the default")
		}
	}
	if (s.CertFile == "") != (s.KeyFile == "") {
		c.addProblem(
			path+"cert_file",
			"has a certificate without a key, or a key without a certificate",
			"write both cert_file and key_file, or neither",
		)
	}
	if len(s.EntityID) > 1024 {
		c.addProblem(path+"entity_id", "is longer than 1024 characters", "write a shorter one")
	}
}

// checkSSOProvider checks the address of an identity provider: whoever can answer in its place can create owners.
func (c *checker) checkSSOProvider(path, address, what string) {
	u, err := url.Parse(address)
	hint := "write https://host/path, " + what
	switch {
	case err == nil && u.User != nil:
		c.addProblem(path, "contains a name or a password", hint)
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(u.Host, ":"):
		c.addProblem(path, c.quoteValue(path, address)+" is not an address of an identity provider", hint)
	case u.Scheme == "https":
	case u.Scheme == "http":
		a, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() != "localhost" && (err != nil || !a.IsLoopback()) {
			c.addProblem(path, "is http", "write https; http is allowed on loopback addresses only")
		}
	default:
		c.addProblem(path, c.quoteValue(path, address)+" is not an address of an identity provider", hint)
	}
}
