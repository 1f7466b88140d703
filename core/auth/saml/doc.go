// Package saml is a SAML 2.0 service provider: browsers are sent to a company's identity provider, which has them bring
// signed assertions of who they are. It imports core and core/auth.
package saml
