// Package sso knows people by their company's identity provider: it checks the JSON Web Tokens that an OpenID Connect
// issuer signs, against the keys that the issuer publishes, and lets browsers sign in there. It imports core and core/auth.
package sso
