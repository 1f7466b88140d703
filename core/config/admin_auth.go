package config

// AdminAuth is fixed while the gateway runs.
type AdminAuth struct {
	// Mode is password for users of Headgate's own, oidc for those of an identity provider. Personal access tokens work in both. oidc when an issuer is written, else password.
	Mode AuthMode `yaml:"mode" eg:"oidc"`
	// RBAC is the table of roles and what they may do.
	RBAC RBAC `yaml:"rbac"`
	// OIDC is the identity provider whose JSON Web Tokens are taken.
	OIDC OIDC `yaml:"oidc"`
}

// InUse is the mode that is in force.
func (a *AdminAuth) InUse() AuthMode {
	switch {
	case a.Mode != "":
		return a.Mode
	case a.OIDC.Issuer != "":
		return AuthOIDC
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
}

// AuthMode is how people show who they are; "" is not set.
type AuthMode string

// The modes.
const (
	AuthPassword AuthMode = "password"
	AuthOIDC     AuthMode = "oidc"
)

var _ choices = AuthMode("")

// Values lists the words that may be written.
func (AuthMode) Values() []string { return []string{"password", "oidc"} }
