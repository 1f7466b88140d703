package saml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crewjam/saml"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// maxText is the longest name that is taken over, in bytes.
const maxText = 255

// values are those of an attribute, by its name or the one for people.
func values(a *saml.Assertion, name string) []string {
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

// first is the first value of the first attribute that has one, cut to a length that can be stored and shown.
func first(a *saml.Assertion, names ...string) string {
	for _, n := range names {
		for _, v := range values(a, n) {
			if v != "" {
				return v[:min(len(v), maxText)]
			}
		}
	}
	return ""
}

// Names of attributes that say what somebody is called, and their address, at providers that are much used.
const (
	claimName  = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"
	claimEmail = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"
)

// actor is who an assertion is about.
func (p *Provider) actor(entity string, a *saml.Assertion) (*auth.Actor, error) {
	subject, err := p.subject(a)
	if err != nil {
		return nil, err
	}
	email := first(a, "email", "mail", claimEmail, "urn:oid:0.9.2342.19200300.100.1.3")
	if id := a.Subject.NameID; email == "" && id != nil && strings.HasSuffix(id.Format, ":emailAddress") {
		email = id.Value
	}
	who := &auth.Actor{
		ID: "saml:" + subject, Name: first(a, "name", "displayName", "cn", claimName, "urn:oid:2.5.4.3", "uid"), Via: auth.ViaSession,
		Subject: entity + " " + subject, Email: strings.ToLower(email),
	}
	if who.Name == "" {
		who.Name = subject
	}
	var names []string
	for _, v := range values(a, p.RolesAttribute) {
		names = append(names, strings.Fields(v)...)
	}
	tenants := values(a, p.TenantAttribute)
	if len(tenants) > 1 {
		return nil, denied("the attribute %s, which names your tenant, has several values", p.TenantAttribute)
	}
	tenant := strings.Join(tenants, "")
	if len(tenant) > maxText {
		return nil, denied("the attribute %s, which names your tenant, is too long", p.TenantAttribute)
	}
	who.Roles, who.Tenant, err = auth.Claimed(names, tenant, p.AnyRole)
	switch {
	case errors.Is(err, auth.ErrNoRole):
		return nil, denied("the attribute %s that your identity provider sends holds none of the roles owner, policy-admin, billing-admin, admin, developer and viewer", p.RolesAttribute)
	case errors.Is(err, auth.ErrNoTenant):
		return nil, denied("you have a role of a tenant, and the attribute %s that your identity provider sends names none", p.TenantAttribute)
	case err != nil:
		return nil, denied("what your identity provider says of you cannot be used: %s", err.Error())
	}
	return who, nil
}

// subject tells somebody from all others of the provider, for good.
func (p *Provider) subject(a *saml.Assertion) (string, error) {
	if p.SubjectAttribute != "" {
		v := values(a, p.SubjectAttribute)
		if len(v) != 1 || v[0] == "" || len(v[0]) > maxText {
			return "", denied("the attribute %s, which tells people apart, must have one value of at most 255 bytes", p.SubjectAttribute)
		}
		return v[0], nil
	}
	id := a.Subject.NameID
	switch {
	case id == nil || id.Value == "" || len(id.Value) > maxText:
		return "", denied("your identity provider sends no name id of 1 to 255 bytes")
	case strings.HasSuffix(id.Format, ":transient"):
		return "", denied("your identity provider sends a name id that is another one each time; have it send a persistent one, or write admin.auth.saml.subject_attribute")
	}
	return id.Value, nil
}

func denied(format string, args ...any) error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: fmt.Sprintf(format, args...)}
}
