package saml

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/headgate-dev/headgate/core"
)

// Options of a Provider. Metadata is needed.
type Options struct {
	Metadata         string // a file, or an address of https
	EntityID         string // "": the address of the console's own metadata
	RolesAttribute   string // "roles" unless said
	TenantAttribute  string // "tenant_id" unless said
	SubjectAttribute string // "": the name id, which must last
	CertFile         string // signs requests, and opens encrypted assertions; "": neither
	KeyFile          string
	// AnyRole takes people without a role that is known here, for an installation without a table of permissions.
	AnyRole bool
	// Report hears when the metadata could not be read. May be nil.
	Report func(error)
	Client *http.Client // nil: one that follows no redirects
	Now    func() time.Time
}

// Provider is a service provider with one identity provider.
type Provider struct {
	Options
	idp  *idp
	key  crypto.Signer
	cert *x509.Certificate
}

// Where the console has what concerns SAML, below its own address.
const (
	MetadataPath = "/saml/metadata"
	AnswerPath   = "/saml/acs"
)

// New makes a provider. A file is read at once; an address is asked when it is first needed.
func New(o Options) (*Provider, error) {
	if o.RolesAttribute == "" {
		o.RolesAttribute = "roles"
	}
	if o.TenantAttribute == "" {
		o.TenantAttribute = "tenant_id"
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Provider{Options: o}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("cert_file and key_file: %w", err)
		}
		key, ok := pair.PrivateKey.(crypto.Signer)
		if !ok || pair.Leaf.PublicKeyAlgorithm != x509.RSA {
			return nil, errors.New("key_file: an RSA key is needed")
		}
		p.key, p.cert = key, pair.Leaf
	}
	var err error
	p.idp, err = newIDP(o)
	return p, err
}

// serviceProviderAt is the service provider as the library knows it, for a console at an address.
func (p *Provider) serviceProviderAt(base *url.URL, idp *saml.EntityDescriptor) *saml.ServiceProvider {
	sp := &saml.ServiceProvider{
		EntityID: p.EntityID, MetadataURL: *base.JoinPath(MetadataPath), AcsURL: *base.JoinPath(AnswerPath), IDPMetadata: idp,
		AuthnNameIDFormat: saml.PersistentNameIDFormat, SignatureVerifier: strict{},
	}
	if p.SubjectAttribute != "" {
		sp.AuthnNameIDFormat = saml.UnspecifiedNameIDFormat
	}
	if p.key != nil {
		sp.Key, sp.Certificate, sp.SignatureMethod = p.key, p.cert, dsig.RSASHA256SignatureMethod
	}
	audience := sp.EntityID
	if audience == "" {
		audience = sp.MetadataURL.String()
	}
	sp.ValidateAudienceRestriction = func(a *saml.Assertion) error { return checkAudience(a, audience) }
	return sp
}

// Describe is what an identity provider is told of the console at an address: its metadata.
func (p *Provider) Describe(base *url.URL) ([]byte, error) {
	d := p.serviceProviderAt(base, nil).Metadata()
	for i := range d.SPSSODescriptors { // no artifacts are taken
		d.SPSSODescriptors[i].AssertionConsumerServices = d.SPSSODescriptors[i].AssertionConsumerServices[:1]
	}
	b, err := xml.MarshalIndent(d, "", "  ")
	return append([]byte(xml.Header), b...), err
}

// Pending is a sign-in that is under way. The browser keeps it, sealed, until it comes back.
type Pending struct {
	ID string    `json:"i"` // of the request
	At time.Time `json:"t"`
}

// beginLife is how long somebody may take at the identity provider.
const beginLife = 15 * time.Minute

// Fresh reports whether somebody may still come back.
func (b Pending) Fresh(now time.Time) bool {
	return b.ID != "" && now.Sub(b.At) <= beginLife && !b.At.After(now.Add(time.Minute))
}

// Begin gives the address at the identity provider that a browser is sent to from a console at base.
func (p *Provider) Begin(ctx context.Context, base *url.URL) (string, Pending, error) {
	idp, err := p.idp.current(ctx)
	if err != nil {
		return "", Pending{}, providerUnavailable(err)
	}
	sp := p.serviceProviderAt(base, idp)
	req, err := sp.MakeAuthenticationRequest(sp.GetSSOBindingLocation(saml.HTTPRedirectBinding), saml.HTTPRedirectBinding, saml.HTTPPostBinding)
	if err != nil {
		return "", Pending{}, providerUnavailable(err)
	}
	u, err := req.Redirect("", sp)
	if err != nil {
		return "", Pending{}, providerUnavailable(err)
	}
	return u.String(), Pending{ID: req.ID, At: p.Now()}, nil
}

// providerUnavailable is what somebody reads while the identity provider does not say how to sign in.
func providerUnavailable(err error) error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, Err: fmt.Errorf("sign-in at the identity provider: %w", err),
		Public: "The identity provider does not answer as it should. Try again in a minute.",
	}
}
