// Package saml is a SAML 2.0 service provider: it redirects browsers to a company's identity provider and verifies the
// signed assertions that they return with. It imports core and core/auth.
package saml
