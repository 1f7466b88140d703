package sso

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// maxDocument is the maximum size of an issuer's answer in bytes.
	maxDocument = 1 << 20
	// fetchTimeout limits a request to the issuer.
	fetchTimeout = 5 * time.Second
	// keysAge is how long keys are used before they are fetched again, and so how long a withdrawn key can still work.
	keysAge = 10 * time.Minute
	// refetchEvery limits how often tokens with unknown keys cause a fetch.
	refetchEvery = 30 * time.Second
	// firstEvery is the same limit while no keys are known.
	firstEvery = 2 * time.Second
)

// issuer caches the keys of an OpenID Connect issuer. It fetches them on first use, so that the gateway starts without the
// issuer, and keeps the last keys while the issuer is unavailable.
type issuer struct {
	url    string
	client *http.Client
	now    func() time.Time
	report func(error)

	mu       sync.Mutex
	doc      document
	keys     []key
	fetched  time.Time     // when the keys were fetched; zero means never
	tried    time.Time     // when they were last requested
	fetching chan struct{} // closed when the current fetch ends; otherwise nil
}

// errAway is returned if no keys are known and the issuer returned none.
var errAway = errors.New("the identity provider does not answer")

// find returns the keys that may have signed a token. Without a kid it returns the only key for the algorithm, or no key if
// several match.
func (s *issuer) find(ctx context.Context, kid, alg string) (found []key, err error) {
	err = s.refresh(ctx, func() bool {
		found = s.match(kid, alg)
		return len(found) > 0
	})
	return found, err
}

// discover returns the discovery document of the issuer.
func (s *issuer) discover(ctx context.Context) (doc document, err error) {
	err = s.refresh(ctx, func() bool {
		doc = s.doc
		return doc.Issuer != ""
	})
	return doc, err
}

// refresh fetches the issuer's keys unless there reports true and the data is recent. It returns errAway if no data is
// known.
func (s *issuer) refresh(ctx context.Context, there func() bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for round := 0; ; round++ {
		found, now := there(), s.now()
		every := refetchEvery
		if s.fetched.IsZero() {
			every = firstEvery
		}
		due := !found || now.Sub(s.fetched) >= keysAge
		switch {
		case !due || round > 0 && s.fetching == nil:
			return s.checkFetched()
		case s.fetching != nil:
			if found {
				return nil
			}
			wait := s.fetching
			s.mu.Unlock()
			select {
			case <-wait:
				s.mu.Lock()
			case <-ctx.Done():
				s.mu.Lock()
				return errAway
			}
		case !s.tried.IsZero() && now.Sub(s.tried) >= 0 && now.Sub(s.tried) < every:
			return s.checkFetched()
		default:
			s.refetch(ctx, now)
		}
	}
}

// checkFetched returns errAway while the issuer has never answered.
func (s *issuer) checkFetched() error {
	if s.fetched.IsZero() {
		return errAway
	}
	return nil
}

// refetch fetches the keys. The caller holds s.mu, which is released during the request. A leaving client must not cancel
// what others wait for.
func (s *issuer) refetch(ctx context.Context, now time.Time) {
	done := make(chan struct{})
	s.tried, s.fetching = now, done
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
	doc, keys, err := s.fetch(ctx)
	cancel()
	if err != nil {
		s.report(fmt.Errorf("the keys of the identity provider could not be read; the last ones stay in use: %w", err))
	}
	s.mu.Lock()
	if err == nil {
		s.doc, s.keys, s.fetched = doc, keys, now
	}
	s.fetching = nil
	close(done)
}

func (s *issuer) match(kid, alg string) []key {
	var out []key
	for _, k := range s.keys {
		if kid != "" && k.kid != kid {
			continue
		}
		for _, a := range k.algs {
			if a == alg {
				out = append(out, k)
			}
		}
	}
	if kid == "" && len(out) > 1 {
		return nil // do not guess which one
	}
	return out
}

// document contains the fields that are read from the discovery document.
type document struct {
	Issuer        string   `json:"issuer"`
	JWKSURI       string   `json:"jwks_uri"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	UserInfo      string   `json:"userinfo_endpoint"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
}

// fetch reads the discovery document and the keys.
func (s *issuer) fetch(ctx context.Context) (doc document, keys []key, err error) {
	text, err := s.get(ctx, strings.TrimSuffix(s.url, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return doc, nil, fmt.Errorf("discovery: %w", err)
	}
	if json.Unmarshal(text, &doc) != nil {
		return doc, nil, errors.New("discovery: the answer is not a JSON object")
	}
	if doc.Issuer != s.url {
		return doc, nil, fmt.Errorf("discovery: the document belongs to another issuer than %s; write the issuer exactly as in its tokens", s.url)
	}
	if err := CheckURL(doc.JWKSURI); err != nil {
		return doc, nil, fmt.Errorf("discovery: jwks_uri %w", err)
	}
	if text, err = s.get(ctx, doc.JWKSURI); err != nil {
		return doc, nil, fmt.Errorf("keys: %w", err)
	}
	keys, err = parseKeys(text)
	return doc, keys, err
}

func (s *issuer) get(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, application/jwk-set+json")
	status, text, err := s.sendRequest(req)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the answer has status %d", status)
	}
	return text, err
}

// sendRequest sends a request and reads the answer.
func (s *issuer) sendRequest(req *http.Request) (status int, text []byte, err error) {
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if text, err = io.ReadAll(io.LimitReader(resp.Body, maxDocument+1)); err != nil {
		return 0, nil, err
	}
	if len(text) > maxDocument {
		return 0, nil, errors.New("the answer is larger than 1 MiB")
	}
	return resp.StatusCode, text, nil
}

// CheckURL checks the address of an issuer or of its keys. It must be HTTPS, except on this machine, because whoever
// can impersonate the issuer can create owners.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return errors.New("is not an address; write https://host/path")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("must not have a query or fragment")
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("must be https; http is accepted only on a loopback address")
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// newClient returns a client that follows no redirects, which could lead to an unverified host.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: fetchTimeout}).DialContext,
			TLSHandshakeTimeout: fetchTimeout, IdleConnTimeout: time.Minute, MaxIdleConns: 2, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
