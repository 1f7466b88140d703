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

// Answer is the answer of an identity provider. It is valid only for the browser that started the sign-in.
type Answer struct {
	Actor     *auth.Actor `json:"a"`
	Request   string      `json:"r"` // the id of the answered request
	Assertion string      `json:"i"` // the id of the assertion, which is valid once
	Until     time.Time   `json:"u"` // when the assertion expires
}

// ParseAnswer parses the answer that the identity provider posted to the console at base.
func (p *Provider) ParseAnswer(ctx context.Context, base *url.URL, encoded string) (*Answer, error) {
	text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(encoded), ""))
	if err != nil || len(text) == 0 {
		return nil, &auth.Refusal{Reason: "a SAML answer that cannot be read"}
	}
	request, err := readInResponseTo(text)
	if err != nil {
		return nil, err
	}
	idp, err := p.idp.loadMetadata(ctx)
	if err != nil {
		return nil, newUnavailableError(err)
	}
	a, err := validateResponse(p.buildServiceProvider(base, idp), text, request)
	if err != nil {
		return nil, err
	}
	until, err := checkConfirmation(a, p.Now())
	if err != nil {
		return nil, err
	}
	who, err := p.buildActor(idp.EntityID, a)
	if err != nil {
		return nil, err
	}
	return &Answer{Actor: who, Request: request, Assertion: idp.EntityID + " " + a.ID, Until: until}, nil
}

// readInResponseTo returns the id of the request that a response names. The browser's own request is checked when it returns;
// the signed assertion must name the same.
func readInResponseTo(text []byte) (string, error) {
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
		return "", &auth.Refusal{Reason: "an unsolicited SAML answer"}
	}
}

// validateResponse returns the assertion of a response after it has checked the signature, issuer, destination, recipient,
// audience and times.
func validateResponse(sp *saml.ServiceProvider, text []byte, request string) (a *saml.Assertion, err error) {
	defer func() {
		// The library expects all parts of an assertion and panics otherwise.
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

// describeError returns the error in an answer in our own words, because the library's words quote parts of the answer.
func describeError(why string) string {
	for _, c := range []struct{ has, says string }{
		{"insecure", "a SAML signature with SHA-1 or another algorithm that is not taken"},
		{"signature", "a SAML answer whose signature is missing or does not match"},
		{"Signature", "a SAML answer whose signature is missing or does not match"},
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

// checkConfirmation checks what the library does not and returns when the assertion expires.
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

// checkAudience checks that the console is the only audience of an assertion.
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

// strict accepts only signatures with SHA-2 over the whole element.
type strict struct{}

// VerifySignature checks the signature of an element.
func (strict) VerifySignature(ctx *dsig.ValidationContext, el *etree.Element) error {
	for _, path := range []string{".//SignedInfo/SignatureMethod", ".//SignedInfo/Reference/DigestMethod"} {
		for _, m := range el.FindElements(path) {
			if a := m.SelectAttrValue("Algorithm", ""); !slices.Contains(algorithms, a) {
				return errors.New("insecure algorithm")
			}
		}
	}
	if el.SelectAttrValue("ID", "") == "" {
		return errors.New("the signed element has no ID")
	}
	if _, err := ctx.Validate(el); err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	return nil
}

// algorithms are the permitted algorithms of signatures and digests.
var algorithms = []string{
	dsig.RSASHA256SignatureMethod, dsig.RSASHA384SignatureMethod, dsig.RSASHA512SignatureMethod,
	dsig.ECDSASHA256SignatureMethod, dsig.ECDSASHA384SignatureMethod, dsig.ECDSASHA512SignatureMethod,
	"http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384", "http://www.w3.org/2001/04/xmlenc#sha512",
}
