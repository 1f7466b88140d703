package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheModeOfAdministrationFollowsFromTheIssuer(t *testing.T) {
	for text, want := range map[string]AuthMode{
		"": AuthPassword, "admin: {auth: {mode: password}}": AuthPassword,
		"admin: {auth: {oidc: {issuer: https://login.example.com}}}":                  AuthOIDC,
		"admin: {auth: {mode: oidc, oidc: {issuer: http://127.0.0.1:8080/realms}}}":   AuthOIDC,
		"headgate.flightdeck.security.oidc.issuer-uri: https://login.example.com/a/b": AuthOIDC,
		"admin: {auth: {saml: {metadata: idp.xml}}}":                                  AuthSAML,
		"admin: {auth: {mode: saml, saml: {metadata: https://login.example.com}}}":    AuthSAML,
	} {
		cfg, warnings, err := load("providers: {mock: {}}\n" + text)
		require.NoError(t, err, text)
		assert.Empty(t, warnings, text)
		assert.Equal(t, want, cfg.Admin.Auth.InUse(), text)
		assert.True(t, cfg.Admin.Auth.RBAC.Enabled)
		assert.Equal(t, "headgate", cfg.Admin.Auth.OIDC.Audience)
		assert.Equal(t, "roles", cfg.Admin.Auth.OIDC.RolesClaim)
		assert.Equal(t, "tenant_id", cfg.Admin.Auth.OIDC.TenantClaim)
	}
}

func TestWhatIsWrongWithAdministrationIsSaid(t *testing.T) {
	for text, says := range map[string]string{
		"{mode: oidc}": "admin.auth.oidc.issuer: is empty",
		"{mode: ldap}": "password, oidc",
		"{mode: saml}": "admin.auth.saml.metadata: is empty",
		"{mode: password, saml: {metadata: idp.xml}}":                            "the modes exclude each other",
		"{saml: {metadata: idp.xml}, oidc: {issuer: https://login.example.com}}": "the modes exclude each other",
		"{saml: {metadata: http://login.example.com}}":                           "metadata: is http",
		"{saml: {metadata: idp.xml, roles_attribute: \"\"}}":                     "roles_attribute: is empty",
		"{saml: {metadata: idp.xml, cert_file: saml.crt}}":                       "without a key",
		"{oidc: {issuer: https://login.example.com, scopes: profile}}":           "lacks openid",
		"{oidc: {issuer: https://login.example.com, client_secret: verysecret}}": "client_id: is empty",
		"{mode: password, oidc: {issuer: https://login.example.com}}":            "the modes exclude each other",
		"{oidc: {issuer: http://login.example.com}}":                             "admin.auth.oidc.issuer: is http",
		"{oidc: {issuer: login.example.com}}":                                    "is not an address of an identity provider",
		"{oidc: {issuer: \"https://login.example.com?x=1\"}}":                    "is not an address of an identity provider",
		"{oidc: {issuer: \"https://user:pw@login.example.com\"}}":                "contains a name or a password",
		"{oidc: {issuer: \"ftp://login.example.com\"}}":                          "is not an address of an identity provider",
		"{oidc: {issuer: https://login.example.com, audience: \"\"}}":            "admin.auth.oidc.audience: is empty",
		"{oidc: {issuer: https://login.example.com, roles_claim: \"\"}}":         "admin.auth.oidc.roles_claim: is empty",
		"{oidc: {issuer: https://login.example.com, roles: x}}":                  "roles_claim",
		"{rbac: {enabled: perhaps}}":                                             "admin.auth.rbac.enabled",
	} {
		_, _, err := load("{providers: {mock: {}}, admin: {auth: " + text + "}}")
		require.ErrorContains(t, err, says, text)
		assert.NotContains(t, err.Error(), "pw@", text)
	}
}
