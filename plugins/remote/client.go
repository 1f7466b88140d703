package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Limits of connections.
const (
	idleTimeout = 90 * time.Second
	maxHead     = 16 << 10
)

// ClientOptions configure a client for guards.
type ClientOptions struct {
	Timeout time.Duration // of a call, after which its connection is closed; default: DefaultTimeout
	Calls   int           // at once; default: DefaultCalls
	// AllowPrivate allows addresses of this machine and of private networks.
	AllowPrivate bool
	// CAFile is a PEM file of certificate authorities that are trusted in addition to the system's.
	CAFile string
	// Resolver resolves host names. Default: the system's resolver.
	Resolver Resolver
}

// Resolver resolves host names, as net.DefaultResolver does.
type Resolver = upstream.Resolver

// NewClient returns a client that follows no redirects, uses no proxy, stores no cookies, requests no compression, and
// connects to allowed addresses only.
func NewClient(o ClientOptions) (*http.Client, error) {
	t, err := loadTLSConfig(o.CAFile)
	if err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Calls <= 0 {
		o.Calls = DefaultCalls
	}
	patience := 2 * o.Timeout // the deadline of the Check comes first and says which limit was exceeded
	d := upstream.PublicDialer{Resolver: o.Resolver, AllowPrivate: o.AllowPrivate, Timeout: patience}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: d.Dial, TLSClientConfig: t, TLSHandshakeTimeout: patience, DisableCompression: true,
			MaxConnsPerHost: o.Calls, MaxIdleConnsPerHost: o.Calls, MaxIdleConns: o.Calls,
			IdleConnTimeout: idleTimeout, MaxResponseHeaderBytes: maxHead,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// ParseURL parses the URL of a guard and refuses one that must not be called, as far as that is known without a DNS
// lookup.
func ParseURL(raw string, allowPrivate bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("is not an http or https URL; write https://host/path")
	case u.User != nil:
		return nil, errors.New("contains a user or password; calls are signed with the secret, remove it")
	case u.Fragment != "":
		return nil, errors.New("contains a fragment; remove it")
	}
	return u, checkURL(u, allowPrivate)
}

// checkURL returns an error for a URL that must not be called. It does not look up names in DNS.
func checkURL(u *url.URL, allowPrivate bool) error {
	if u.Scheme == "http" && !allowPrivate {
		return errors.New(
			"is plain http, so texts would travel unencrypted; write https://, or allow_private: true for a receiver in your own network",
		)
	}
	return upstream.CheckHost(u.Hostname(), allowPrivate)
}

func loadTLSConfig(caFile string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return c, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("ca_file: contains no certificate")
	}
	c.RootCAs = pool
	return c, nil
}
