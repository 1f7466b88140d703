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

// Options contains the settings of a Provider. Metadata is required.
type Options struct {
	Metadata         string // a file or an HTTPS address
	EntityID         string // the default is the address of the console's own metadata
	RolesAttribute   string // "roles" by default
	TenantAttribute  string // "tenant_id" by default
	SubjectAttribute string // the default is the name id, which must be persistent
	CertFile         string // signs requests, and decrypts assertions; optional
	KeyFile          string
	// AnyRole accepts actors without a known role, for an installation without permission checks.
	AnyRole bool
	// Report is called when the metadata cannot be read. Optional.
	Report func(error)
	Client *http.Client // by default one that follows no redirects
	Now    func() time.Time
}

// Provider is a service provider for one identity provider.
type Provider struct {
	Options
	idp  *idp
	key  crypto.Signer
	cert *x509.Certificate
}

// The paths of SAML below the address of the console.
const (
	MetadataPath = "/saml/metadata"
	AnswerPath   = "/saml/acs"
)

// New returns a provider. It reads a file at once and fetches an address on first use.
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

// buildServiceProvider returns the library's service provider for a console at an address.
func (p *Provider) buildServiceProvider(base *url.URL, idp *saml.EntityDescriptor) *saml.ServiceProvider {
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

// Describe returns the metadata of the console at an address.
func (p *Provider) Describe(base *url.URL) ([]byte, error) {
	d := p.buildServiceProvider(base, nil).Metadata()
	for i := range d.SPSSODescriptors { // artifacts are not supported
		d.SPSSODescriptors[i].AssertionConsumerServices = d.SPSSODescriptors[i].AssertionConsumerServices[:1]
	}
	b, err := xml.MarshalIndent(d, "", "  ")
	return append([]byte(xml.Header), b...), err
}

// Pending is a sign-in in progress. The browser stores it, sealed, until it returns.
type Pending struct {
	ID string    `json:"i"` // of the request
	At time.Time `json:"t"`
}

// beginLife limits the time at the identity provider.
const beginLife = 15 * time.Minute

// IsFresh reports whether the sign-in has not expired.
func (b Pending) IsFresh(now time.Time) bool {
	return b.ID != "" && now.Sub(b.At) <= beginLife && !b.At.After(now.Add(time.Minute))
}

// BeginSignIn returns the address at the identity provider to which a browser at the console base is redirected.
func (p *Provider) BeginSignIn(ctx context.Context, base *url.URL) (string, Pending, error) {
	idp, err := p.idp.loadMetadata(ctx)
	if err != nil {
		return "", Pending{}, newUnavailableError(err)
	}
	sp := p.buildServiceProvider(base, idp)
	req, err := sp.MakeAuthenticationRequest(
		sp.GetSSOBindingLocation(saml.HTTPRedirectBinding),
		saml.HTTPRedirectBinding,
		saml.HTTPPostBinding,
	)
	if err != nil {
		return "", Pending{}, newUnavailableError(err)
	}
	u, err := req.Redirect("", sp)
	if err != nil {
		return "", Pending{}, newUnavailableError(err)
	}
	return u.String(), Pending{ID: req.ID, At: p.Now()}, nil
}

// newUnavailableError returns the error while the metadata of the identity provider is not available.
func newUnavailableError(err error) error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, Err: fmt.Errorf("sign-in at the identity provider: %w", err),
		Public: "The identity provider does not answer as it should. Try again in a minute.",
	}
}
