package config

import "strings"

// AdminAuth is fixed while the gateway runs.
type AdminAuth struct {
	// Mode is password for users of Headgate's own, oidc or saml for those of an identity provider. Personal access tokens work in all. When it is not written it is that of the identity provider that is described, else password.
	Mode AuthMode `yaml:"mode" eg:"oidc"`
	// RBAC is the table of roles and what they may do.
	RBAC RBAC `yaml:"rbac"`
	// OIDC is the identity provider whose JSON Web Tokens are taken, and where people sign in to the console.
	OIDC OIDC `yaml:"oidc"`
	// SAML is the identity provider where people sign in to the console by SAML 2.0.
	SAML SAML `yaml:"saml"`
}

// InUse is the mode that is in force.
func (a *AdminAuth) InUse() AuthMode {
	switch {
	case a.Mode != "":
		return a.Mode
	case a.OIDC.Issuer != "":
		return AuthOIDC
	case a.SAML.Metadata != "":
		return AuthSAML
	}
	return AuthPassword
}

// RBAC is role-based access control.
type RBAC struct {
	// Enabled says whether roles matter. Without them any valid credential may do everything, within its tenant if it has one.
	Enabled bool `yaml:"enabled" default:"true"`
}

// OIDC is an OpenID Connect issuer.
type OIDC struct {
	// Issuer is the address of the issuer, as its tokens have it. It must be https, but on a loopback address.
	Issuer string `yaml:"issuer" eg:"https://login.example.com/realms/main"`
	// Audience is what a token must be made for: its aud claim.
	Audience string `yaml:"audience" default:"headgate"`
	// RolesClaim is the claim that holds roles, in an array or with spaces between. Dots lead into nested claims.
	RolesClaim string `yaml:"roles_claim" default:"roles" eg:"realm_access.roles"`
	// TenantClaim is the claim that names the tenant, for roles of a tenant. Dots lead into nested claims.
	TenantClaim string `yaml:"tenant_claim" default:"tenant_id"`
	// ClientID is that of the console, which is registered at the issuer with the redirect address <console.url>/login/oidc/callback. Without one nobody signs in to the console: the API takes tokens alone.
	ClientID string `yaml:"client_id" eg:"headgate-console"`
	// ClientSecret goes with client_id. Empty for a public client, which PKCE alone protects.
	ClientSecret Secret `yaml:"client_secret" eg:"${HEADGATE_OIDC_CLIENT_SECRET}"`
	// Scopes are asked for at sign-in, with spaces between. openid is among them.
	Scopes string `yaml:"scopes" default:"openid profile email"`
}

// SAML is a SAML 2.0 identity provider, and what the console is to it.
type SAML struct {
	// Metadata is what the identity provider says of itself: where to sign in, and its certificates. It is a file, or an address that is read again once an hour, which must be https, but on a loopback address.
	Metadata string `yaml:"metadata" eg:"https://login.example.com/saml/metadata"`
	// EntityID names the console at the identity provider; <console.url>/saml/metadata unless written.
	EntityID string `yaml:"entity_id" eg:"https://headgate.example.com/saml/metadata"`
	// RolesAttribute is the attribute that holds roles, as several values or with spaces between.
	RolesAttribute string `yaml:"roles_attribute" default:"roles"`
	// TenantAttribute is the attribute that names the tenant, for roles of a tenant.
	TenantAttribute string `yaml:"tenant_attribute" default:"tenant_id"`
	// SubjectAttribute is the attribute that tells people apart for good. The persistent name id unless written.
	SubjectAttribute string `yaml:"subject_attribute" eg:"uid"`
	// CertFile is a certificate, PEM, with an RSA key: requests are signed with it, and assertions may be encrypted for it.
	CertFile string `yaml:"cert_file" eg:"saml.crt"`
	// KeyFile is the key of the certificate.
	KeyFile string `yaml:"key_file" eg:"saml.key"`
}

// Remote reports whether the metadata is read from an address.
func (s *SAML) Remote() bool { return strings.Contains(s.Metadata, "://") }

// AuthMode is how people show who they are; "" is not set.
type AuthMode string

// The modes.
const (
	AuthPassword AuthMode = "password"
	AuthOIDC     AuthMode = "oidc"
	AuthSAML     AuthMode = "saml"
)

var _ choices = AuthMode("")

// Values lists the words that may be written.
func (AuthMode) Values() []string { return []string{"password", "oidc", "saml"} }
