package config

import (
	"net/netip"
	"net/url"
	"strings"
)

func (c *checker) admin() {
	a := &c.cfg.Admin.Auth
	switch {
	case a.Mode == AuthOIDC && a.OIDC.Issuer == "":
		c.bad("admin.auth.oidc.issuer", "is empty, and admin.auth.mode is oidc", "write the address of the identity provider")
	case a.Mode == AuthPassword && a.OIDC.Issuer != "":
		c.bad("admin.auth.mode", "is password, and there is an issuer: the modes exclude each other", "write mode: oidc, or leave the issuer away")
	}
	if a.OIDC.Issuer == "" {
		return
	}
	c.issuer(a.OIDC.Issuer)
	for path, text := range map[string]string{
		"admin.auth.oidc.audience": a.OIDC.Audience, "admin.auth.oidc.roles_claim": a.OIDC.RolesClaim, "admin.auth.oidc.tenant_claim": a.OIDC.TenantClaim,
	} {
		if text == "" {
			c.bad(path, "is empty", "leave it away for the default")
		}
	}
}

// issuer checks the address of an identity provider: whoever can answer in its place makes owners.
func (c *checker) issuer(address string) {
	const path = "admin.auth.oidc.issuer"
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User != nil:
		c.bad(path, "holds a name or a password", "write https://host/path, as the iss claim of its tokens has it")
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(u.Host, ":"):
		c.bad(path, c.show(path, address)+" is no address of an issuer", "write https://host/path, as the iss claim of its tokens has it")
	case u.Scheme == "https":
	case u.Scheme == "http":
		a, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() != "localhost" && (err != nil || !a.IsLoopback()) {
			c.bad(path, "is http", "write https; http is taken on a loopback address only")
		}
	default:
		c.bad(path, c.show(path, address)+" is no address of an issuer", "write https://host/path, as the iss claim of its tokens has it")
	}
}
