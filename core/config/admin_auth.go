package config

import "strings"

// AdminAuth cannot change while the gateway runs.
type AdminAuth struct {
	// Mode is `password` for Headgate's own users, `oidc` or `saml` for those of an identity provider. Personal access
	// tokens work in all modes. By default it is the mode of the configured identity provider, else `password`.
	Mode AuthMode `yaml:"mode" eg:"oidc"`
	// RBAC configures roles and their permissions.
	RBAC RBAC `yaml:"rbac"`
	// OIDC is the identity provider whose JSON Web Tokens are accepted, and where people sign in to the console.
	OIDC OIDC `yaml:"oidc"`
	// SAML is the identity provider where people sign in to the console by SAML 2.0.
	SAML SAML `yaml:"saml"`
}

// InUse returns the mode in force.
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
	// Enabled turns roles on. Without roles, any valid credential permits everything, within its tenant if it has one.
	Enabled bool `yaml:"enabled" default:"true"`
}

// OIDC is an OpenID Connect issuer.
type OIDC struct {
	// Issuer is the issuer's address, as in its tokens. It must be https, except on a loopback address.
	Issuer string `yaml:"issuer" eg:"https://login.example.com/realms/main"`
	// Audience is the required aud claim of a token.
	Audience string `yaml:"audience" default:"headgate"`
	// RolesClaim is the claim that holds roles: an array, or text separated by spaces. Dots lead into nested claims.
	RolesClaim string `yaml:"roles_claim" default:"roles" eg:"realm_access.roles"`
	// TenantClaim is the claim that names the tenant of tenant roles. Dots lead into nested claims.
	TenantClaim string `yaml:"tenant_claim" default:"tenant_id"`
	// ClientID is the console's client id, registered at the issuer with the redirect address
	// <console.url>/login/oidc/callback. Without it the console cannot be used, and the API accepts only tokens.
	ClientID string `yaml:"client_id" eg:"headgate-console"`
	// ClientSecret belongs to client_id. Leave it empty for a public client, which only PKCE protects.
	ClientSecret Secret `yaml:"client_secret" eg:"${HEADGATE_OIDC_CLIENT_SECRET}"`
	// Scopes are requested at sign-in, separated by spaces. openid must be among them.
	Scopes string `yaml:"scopes" default:"openid profile email"`
}

// SAML configures a SAML 2.0 identity provider and the console as its service provider.
type SAML struct {
	// Metadata is the identity provider's metadata: a file, or an address that is read again every hour and must be
	// https, except on a loopback address.
	Metadata string `yaml:"metadata" eg:"https://login.example.com/saml/metadata"`
	// EntityID identifies the console at the identity provider. Default: <console.url>/saml/metadata.
	EntityID string `yaml:"entity_id" eg:"https://headgate.example.com/saml/metadata"`
	// RolesAttribute is the attribute that holds roles: several values, or text separated by spaces.
	RolesAttribute string `yaml:"roles_attribute" default:"roles"`
	// TenantAttribute is the attribute that names the tenant of tenant roles.
	TenantAttribute string `yaml:"tenant_attribute" default:"tenant_id"`
	// SubjectAttribute is the attribute that identifies a person permanently. Default: the persistent name id.
	SubjectAttribute string `yaml:"subject_attribute" eg:"uid"`
	// CertFile is a PEM certificate with an RSA key. It signs requests, and assertions may be encrypted for it.
	CertFile string `yaml:"cert_file" eg:"saml.crt"`
	// KeyFile is the certificate's private key.
	KeyFile string `yaml:"key_file" eg:"saml.key"`
}

// IsRemote reports whether the metadata is read from an address.
func (s *SAML) IsRemote() bool { return strings.Contains(s.Metadata, "://") }

// AuthMode is how people authenticate; "" is not set.
type AuthMode string

// The modes.
const (
	AuthPassword AuthMode = "password"
	AuthOIDC     AuthMode = "oidc"
	AuthSAML     AuthMode = "saml"
)

var _ choices = AuthMode("")

// Values lists the accepted words.
func (AuthMode) Values() []string { return []string{"password", "oidc", "saml"} }
