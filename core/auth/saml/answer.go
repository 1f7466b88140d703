package saml

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/headgate-dev/headgate/core/auth"
)

// Answer is what an identity provider has answered. It is worth nothing but to the browser that asked.
type Answer struct {
	Actor     *auth.Actor `json:"a"`
	Request   string      `json:"r"` // id of the request that it answers
	Assertion string      `json:"i"` // id of the assertion, which is used once
	Until     time.Time   `json:"u"` // after which the assertion is worth nothing
}

// Receive reads what the identity provider has had posted to the console at base.
func (p *Provider) Receive(ctx context.Context, base *url.URL, encoded string) (*Answer, error) {
	text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(encoded), ""))
	if err != nil || len(text) == 0 {
		return nil, &auth.Refusal{Reason: "a SAML answer that cannot be read"}
	}
	request, err := inResponseTo(text)
	if err != nil {
		return nil, err
	}
	idp, err := p.idp.current(ctx)
	if err != nil {
		return nil, providerUnavailable(err)
	}
	a, err := validateResponse(p.serviceProviderAt(base, idp), text, request)
	if err != nil {
		return nil, err
	}
	until, err := checkConfirmation(a, p.Now())
	if err != nil {
		return nil, err
	}
	who, err := p.actorOf(idp.EntityID, a)
	if err != nil {
		return nil, err
	}
	return &Answer{Actor: who, Request: request, Assertion: idp.EntityID + " " + a.ID, Until: until}, nil
}

// inResponseTo is the request that a response says it answers. That it is the browser's own is checked when that comes
// back; the assertion, which is signed, must name the same.
func inResponseTo(text []byte) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		t, err := d.Token()
		if err != nil {
			return "", &auth.Refusal{Reason: "a SAML answer that cannot be read"}
		}
		root, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		for _, attr := range root.Attr {
			if attr.Name.Local == "InResponseTo" && attr.Value != "" {
				return attr.Value, nil
			}
		}
		return "", &auth.Refusal{Reason: "a SAML answer that nobody here has asked for"}
	}
}

// validateResponse is the assertion of a response whose signature, issuer, destination, recipient, audience and times are in
// order.
func validateResponse(sp *saml.ServiceProvider, text []byte, request string) (a *saml.Assertion, err error) {
	defer func() {
		// The library takes it that an assertion has all its parts.
		if recover() != nil {
			a, err = nil, &auth.Refusal{Reason: "a SAML assertion that lacks a part"}
		}
	}()
	if bytes.Contains(text, []byte("<!")) {
		return nil, &auth.Refusal{Reason: "a SAML answer with a document type, a comment or a section, which have no place in it"}
	}
	a, err = sp.ParseXMLResponse(text, []string{request}, sp.AcsURL)
	if err == nil {
		return a, nil
	}
	var bad saml.ErrBadStatus
	var wrong *saml.InvalidResponseError
	if errors.As(err, &wrong) && errors.As(wrong.PrivateErr, &bad) {
		return nil, &auth.Refusal{Reason: "the identity provider has refused the sign-in"}
	}
	why := ""
	if wrong != nil {
		why = wrong.PrivateErr.Error()
	}
	return nil, &auth.Refusal{Reason: describeError(why)}
}

// describeError says what is wrong with an answer, in words of our own: those of the library hold parts of it.
func describeError(why string) string {
	for _, c := range []struct{ has, says string }{
		{"insecure", "a SAML signature with SHA-1 or another algorithm that is not taken"},
		{"signature", "a SAML answer whose signature is missing or does not fit"},
		{"Signature", "a SAML answer whose signature is missing or does not fit"},
		{"Destination", "a SAML answer for another address (Destination)"},
		{"InResponseTo", "a SAML answer to another request"},
		{"request IDs", "a SAML assertion for another request"},
		{"ssuer", "a SAML answer of another identity provider"},
		{"Recipient", "a SAML assertion for another address (Recipient)"},
		{"audience", "a SAML assertion for another audience"},
		{"not yet valid", "a SAML assertion that is not valid yet"},
		{"expired", "an expired SAML assertion"},
		{"decrypt", "an encrypted SAML assertion that cannot be opened"},
		{"invalid xml", "a SAML answer that cannot be read"},
	} {
		if strings.Contains(why, c.has) {
			return c.says
		}
	}
	return "a SAML answer that is not valid"
}

// checkConfirmation demands of an assertion what the library does not, and gives its end.
func checkConfirmation(a *saml.Assertion, now time.Time) (until time.Time, err error) {
	const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
	i := slices.IndexFunc(a.Subject.SubjectConfirmations, func(c saml.SubjectConfirmation) bool { return c.Method == bearer })
	if i < 0 || a.ID == "" || len(a.AuthnStatements) == 0 {
		return until, &auth.Refusal{Reason: "a SAML assertion that does not say that its bearer has signed in"}
	}
	for _, s := range a.AuthnStatements {
		if s.SessionNotOnOrAfter != nil && !now.Before(*s.SessionNotOnOrAfter) {
			return until, &auth.Refusal{Reason: "a SAML assertion of a session that has ended"}
		}
	}
	until = a.Subject.SubjectConfirmations[i].SubjectConfirmationData.NotOnOrAfter
	if a.Conditions.NotOnOrAfter.After(until) {
		until = a.Conditions.NotOnOrAfter
	}
	return until.Add(saml.MaxClockSkew), nil
}

// checkAudience demands that an assertion is for the console alone.
func checkAudience(a *saml.Assertion, audience string) error {
	for _, r := range a.Conditions.AudienceRestrictions {
		if r.Audience.Value != audience {
			return errors.New("another audience")
		}
	}
	if len(a.Conditions.AudienceRestrictions) == 0 {
		return errors.New("no audience")
	}
	return nil
}

// strict takes signatures with SHA-2 alone, of the whole element.
type strict struct{}

// VerifySignature reports what is wrong with the signature of an element.
func (strict) VerifySignature(ctx *dsig.ValidationContext, el *etree.Element) error {
	for _, path := range []string{".//SignedInfo/SignatureMethod", ".//SignedInfo/Reference/DigestMethod"} {
		for _, m := range el.FindElements(path) {
			if a := m.SelectAttrValue("Algorithm", ""); !slices.Contains(algorithms, a) {
				return errors.New("insecure algorithm")
			}
		}
	}
	if el.SelectAttrValue("ID", "") == "" {
		return errors.New("the signature is of an element without an ID")
	}
	if _, err := ctx.Validate(el); err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	return nil
}

// algorithms are those that signatures and their digests may have.
var algorithms = []string{
	dsig.RSASHA256SignatureMethod, dsig.RSASHA384SignatureMethod, dsig.RSASHA512SignatureMethod,
	dsig.ECDSASHA256SignatureMethod, dsig.ECDSASHA384SignatureMethod, dsig.ECDSASHA512SignatureMethod,
	"http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384", "http://www.w3.org/2001/04/xmlenc#sha512",
}
