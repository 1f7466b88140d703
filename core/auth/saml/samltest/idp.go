// Package samltest runs a SAML identity provider for tests: that of github.com/crewjam/saml, on a loopback address.
package samltest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"html"
	"html/template"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crewjam/saml"
	"github.com/crewjam/saml/samlidp"
	dsig "github.com/russellhaering/goxmldsig"
	"github.com/stretchr/testify/require"
)

// IdP is a running identity provider.
type IdP struct {
	*samlidp.Server
	URL string
	Key *rsa.PrivateKey

	t        testing.TB
	sessions map[string]*http.Client
}

// Password is the password of all people.
const Password = "a password of the provider"

// Start starts an identity provider. Its assertions are of people with a uid, an address, and their groups as roles.
func Start(t testing.TB) *IdP {
	t.Helper()
	var h http.Handler
	made := make(chan struct{}) // the provider wants to know its address, and with that requests may come
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-made
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	require.NoError(t, err)
	key, cert := own()
	s, err := samlidp.New(samlidp.Options{
		URL: *u, Key: key, Certificate: cert, Store: &samlidp.MemoryStore{}, Logger: log.New(io.Discard, "", 0), LoginFormTemplate: form,
	})
	require.NoError(t, err)
	s.IDP.SignatureMethod = dsig.RSASHA256SignatureMethod
	h = s
	close(made)
	return &IdP{s, srv.URL, key, t, map[string]*http.Client{}}
}

// form goes on where the sign-in was asked for; that of the library ends at the provider.
var form = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><title>Provider</title><p>{{.Toast}}</p>
<form method="post" action="/sso"><input name="user">
<input name="password" type="password"><input type="hidden" name="SAMLRequest" value="{{.SAMLRequest}}">
<input type="hidden" name="RelayState" value="{{.RelayState}}"><input type="submit" value="Log in"></form></html>`))

// own is the key of all identity providers of a test binary: to make one takes long.
var own = sync.OnceValues(func() (*rsa.PrivateKey, *x509.Certificate) {
	key, cert, err := newCert()
	if err != nil {
		panic(err)
	}
	return key, cert
})

// NewCert makes a certificate for signing.
func NewCert(t testing.TB) (*rsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, cert, err := newCert()
	require.NoError(t, err)
	return key, cert
}

func newCert() (*rsa.PrivateKey, *x509.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(
			1,
		),
		Subject:   pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour),
	}, &x509.Certificate{SerialNumber: big.NewInt(1)}, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return key, cert, err
}

// WriteFiles writes a certificate and its key as PEM, and gives their paths.
func WriteFiles(t testing.TB, key *rsa.PrivateKey, cert *x509.Certificate) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "saml.crt"), filepath.Join(dir, "saml.key")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}), 0o600))
	require.NoError(
		t,
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600),
	)
	return certFile, keyFile
}

// Metadata is where the identity provider describes itself.
func (p *IdP) Metadata() string { return p.URL + "/metadata" }

// Register registers a service provider at the identity provider.
func (p *IdP) Register(metadata []byte) {
	p.t.Helper()
	p.put("/services/console", string(metadata))
}

// Add adds a person with groups. tenant is their scoped affiliation.
func (p *IdP) Add(name, tenant string, groups ...string) {
	p.t.Helper()
	p.put("/users/"+name, fmt.Sprintf(`{"name":%q,"password":%q,"email":%q,"common_name":%q,"scoped_affiliation":%q,"groups":["%s"]}`,
		name, Password, name+"@example.com", "Test "+name, tenant, strings.Join(groups, `","`)))
}

func (p *IdP) put(path, body string) {
	req, err := http.NewRequest(http.MethodPut, p.URL+path, strings.NewReader(body))
	require.NoError(p.t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err)
	require.NoError(p.t, resp.Body.Close())
	require.Equal(p.t, http.StatusNoContent, resp.StatusCode)
}

// Alter has assertions changed before they are signed.
func (p *IdP) Alter(change func(*saml.Assertion)) { p.IDP.AssertionMaker = maker{change} }

type maker struct{ change func(*saml.Assertion) }

// MakeAssertion makes the identity provider's own assertion, and changes it.
func (m maker) MakeAssertion(req *saml.IdpAuthnRequest, s *saml.Session) error {
	err := saml.DefaultAssertionMaker{}.MakeAssertion(req, s)
	if err == nil {
		m.change(req.Assertion)
	}
	return err
}

var (
	input  = regexp.MustCompile(`name="(SAMLRequest|SAMLResponse|RelayState)" value="([^"]*)"`)
	action = regexp.MustCompile(`action="([^"]*)"`)
)

// SignIn does what a browser does at the identity provider: it opens the address, fills in the form the first time, and
// gives where the answer is to be posted, and what.
func (p *IdP) SignIn(address, name string) (to string, form url.Values) {
	p.t.Helper()
	c := p.sessions[name]
	if c == nil {
		jar, err := cookiejar.New(nil)
		require.NoError(p.t, err)
		c = &http.Client{Jar: jar}
		p.sessions[name] = c
	}
	resp, err := c.Get(address)
	require.NoError(p.t, err)
	if to, form = p.readFields(resp); form.Get("SAMLResponse") != "" {
		return to, form
	}
	require.NotEmpty(p.t, form.Get("SAMLRequest"))
	form.Set("user", name)
	form.Set("password", Password)
	resp, err = c.PostForm(p.URL+"/sso", form)
	require.NoError(p.t, err)
	to, form = p.readFields(resp)
	require.NotEmpty(p.t, form.Get("SAMLResponse"))
	return to, form
}

func (p *IdP) readFields(resp *http.Response) (to string, form url.Values) {
	p.t.Helper()
	b, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, resp.Body.Close())
	require.Equal(p.t, http.StatusOK, resp.StatusCode, "%s", b)
	form = url.Values{}
	for _, m := range input.FindAllStringSubmatch(string(b), -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	if m := action.FindStringSubmatch(string(b)); m != nil {
		to = html.UnescapeString(m[1])
	}
	return to, form
}

// Decode is the XML of an answer.
func Decode(t testing.TB, form url.Values) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(form.Get("SAMLResponse"))
	require.NoError(t, err)
	return string(b)
}
