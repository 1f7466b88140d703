// Package sso verifies the JSON Web Tokens of an OpenID Connect issuer against its published keys and lets browsers sign in
// there. It imports core and core/auth.
package sso
