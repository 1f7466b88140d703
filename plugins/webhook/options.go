package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Limits and defaults of a link.
const (
	DefaultTimeout = 5 * time.Second // of one whole Check
	DefaultCalls   = 32              // at once
	// MinSecret is how long a secret is at least, in bytes.
	MinSecret = 16
)

// Options configure a link.
type Options struct {
	// Link is the name in the chain.
	Link string
	// URL is where the receiver is called; https, or http when AllowPrivate is set.
	URL string
	// Secret signs calls and checks replies. Previous is the one before, which
	// receivers may still use until PreviousUntil.
	Secret, Previous string
	PreviousUntil    time.Time
	// Timeout bounds one whole Check, waiting and all calls included; 0: DefaultTimeout.
	Timeout time.Duration
	// Calls bounds the calls at once; 0: DefaultCalls.
	Calls int
	// AllowPrivate admits addresses of this machine and of private networks.
	AllowPrivate bool
	// FailOpen makes a stream go on after a failure, as if nothing had been found
	// in that window. On whole bodies the link's fault rule does the same.
	FailOpen bool
	// Shadow sends copies of texts and passes at once; Note is told what the
	// receiver said of them.
	Shadow   bool
	Note     func(Observed)
	Settings Settings

	now      func() time.Time // of tests
	resolver resolver
	pause    time.Duration
}

// Settings are a link's config block.
type Settings struct {
	// Window is how many characters of an answer are judged together, and
	// Overlap how many of them the next window shows again.
	Window  int `yaml:"window" default:"400" min:"50" max:"4000"`
	Overlap int `yaml:"overlap" default:"100" min:"0" max:"2000"`
	// CAFile is a PEM file of authorities that are trusted besides the system's.
	CAFile string `yaml:"ca_file"`
}

// ReadSettings decodes a link's config block.
func ReadSettings(block core.Settings) (Settings, error) {
	s := Settings{Window: 400, Overlap: 100}
	if block == nil {
		return s, nil
	}
	if err := block.Decode(&s); err != nil {
		return s, err // it names the file and the line already
	}
	if s.Overlap > s.Window/2 {
		return s, fmt.Errorf("overlap: %d is more than half the window of %d; write at most %d", s.Overlap, s.Window, s.Window/2)
	}
	return s, nil
}

// resolver finds the addresses of a name; net.DefaultResolver is one.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// fill sets the defaults of omitted options.
func (o *Options) fill() {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Calls <= 0 {
		o.Calls = DefaultCalls
	}
	if o.Settings.Window == 0 {
		o.Settings.Window, o.Settings.Overlap = 400, 100
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.resolver == nil {
		o.resolver = net.DefaultResolver
	}
	if o.pause == 0 {
		o.pause = breakerPause
	}
}

// complete sets defaults and validates the rest.
func (o *Options) complete() (*url.URL, error) {
	o.fill()
	if len(o.Secret) < MinSecret {
		return nil, fmt.Errorf("secret: has fewer than %d characters; write a random one, such as openssl rand -hex 32 prints", MinSecret)
	}
	if o.Previous != "" && o.PreviousUntil.IsZero() {
		return nil, errors.New("previous: has no end; write until: with a time")
	}
	u, err := receiverURL(o.URL, o.AllowPrivate)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return u, nil
}

// mayCall returns an error for a URL that must not be called, as far as that is known without a DNS lookup.
func mayCall(u *url.URL, allowPrivate bool) error {
	if u.Scheme == "http" && !allowPrivate {
		return errors.New(
			"is plain http, so texts would travel unencrypted; write https://, or allow_private: true for a receiver in your own network",
		)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		if kind := forbiddenKind(ip, allowPrivate); kind != "" {
			return refusedAddress{kind}
		}
	} else if !allowPrivate && local(u.Hostname()) {
		return refusedAddress{kindLoopback}
	}
	return nil
}

// local reports a name that always means this machine (RFC 6761).
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func tlsConfig(caFile string) (*tls.Config, error) {
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
		return nil, errors.New("ca_file: holds no certificate")
	}
	c.RootCAs = pool
	return c, nil
}
