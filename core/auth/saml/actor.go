package saml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crewjam/saml"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// maxText is the maximum length of a name in bytes.
const maxText = 255

// listAttributeValues returns the values of an attribute, selected by its name or its friendly name.
func listAttributeValues(a *saml.Assertion, name string) []string {
	var out []string
	for _, s := range a.AttributeStatements {
		for _, attr := range s.Attributes {
			if attr.Name != name && attr.FriendlyName != name {
				continue
			}
			for _, v := range attr.Values {
				out = append(out, strings.TrimSpace(v.Value))
			}
		}
	}
	return out
}

// findFirstValue returns the first value of the first non-empty attribute, truncated to a length that can be stored and shown.
func findFirstValue(a *saml.Assertion, names ...string) string {
	for _, n := range names {
		for _, v := range listAttributeValues(a, n) {
			if v != "" {
				return v[:min(len(v), maxText)]
			}
		}
	}
	return ""
}

// The attributes that common providers use for names and e-mail addresses.
const (
	claimName  = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"
	claimEmail = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"
)

// buildActor returns the actor of an assertion.
func (p *Provider) buildActor(entity string, a *saml.Assertion) (*auth.Actor, error) {
	subject, err := p.findSubject(a)
	if err != nil {
		return nil, err
	}
	email := findFirstValue(a, "email", "mail", claimEmail, "urn:oid:0.9.2342.19200300.100.1.3")
	if id := a.Subject.NameID; email == "" && id != nil && strings.HasSuffix(id.Format, ":emailAddress") {
		email = id.Value
	}
	who := &auth.Actor{
		ID: "saml:" + subject, Name: findFirstValue(a, "name", "displayName", "cn", claimName, "urn:oid:2.5.4.3", "uid"), Via: auth.ViaSession,
		Subject: entity + " " + subject, Email: strings.ToLower(email),
	}
	if who.Name == "" {
		who.Name = subject
	}
	var names []string
	for _, v := range listAttributeValues(a, p.RolesAttribute) {
		names = append(names, strings.Fields(v)...)
	}
	tenants := listAttributeValues(a, p.TenantAttribute)
	if len(tenants) > 1 {
		return nil, newAccessDeniedError("the attribute %s, which names your tenant, has several values", p.TenantAttribute)
	}
	tenant := strings.Join(tenants, "")
	if len(tenant) > maxText {
		return nil, newAccessDeniedError("the attribute %s, which names your tenant, is too long", p.TenantAttribute)
	}
	who.Roles, who.Tenant, err = auth.ParseClaims(names, tenant, p.AnyRole)
	switch {
	case errors.Is(err, auth.ErrNoRole):
		return nil, newAccessDeniedError(
			"the attribute %s that your identity provider sends holds none of the roles owner, policy-admin, billing-admin, auditor, admin, developer and viewer",
			p.RolesAttribute,
		)
	case errors.Is(err, auth.ErrNoTenant):
		return nil, newAccessDeniedError(
			"you have a role of a tenant, and the attribute %s that your identity provider sends names none",
			p.TenantAttribute,
		)
	case err != nil:
		return nil, newAccessDeniedError("what your identity provider says about you cannot be used: %s", err.Error())
	}
	return who, nil
}

// findSubject returns a permanent identifier of a person at the provider.
func (p *Provider) findSubject(a *saml.Assertion) (string, error) {
	if p.SubjectAttribute != "" {
		v := listAttributeValues(a, p.SubjectAttribute)
		if len(v) != 1 || v[0] == "" || len(v[0]) > maxText {
			return "", newAccessDeniedError("the attribute %s, which tells people apart, must have one value of at most 255 bytes", p.SubjectAttribute)
		}
		return v[0], nil
	}
	id := a.Subject.NameID
	switch {
	case id == nil || id.Value == "" || len(id.Value) > maxText:
		return "", newAccessDeniedError("your identity provider sends no name id of 1 to 255 bytes")
	case strings.HasSuffix(id.Format, ":transient"):
		return "", newAccessDeniedError(
			"your identity provider sends a name id that is another one each time; have it send a persistent one, or write admin.auth.saml.subject_attribute",
		)
	}
	return id.Value, nil
}

func newAccessDeniedError(format string, args ...any) error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: fmt.Sprintf(format, args...)}
}
