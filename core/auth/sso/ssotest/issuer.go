// Package ssotest is an OpenID Connect issuer for tests: it publishes keys on a loopback address, and signs tokens with
// the standard library alone, so that a verifier is not tried against itself.
package ssotest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Issuer is a running issuer.
type Issuer struct {
	URL string
	// Asked counts the fetches of the keys.
	Asked atomic.Int64

	t  testing.TB
	mu sync.Mutex
	// discovery and keys override the published documents. Optional.
	discovery, keys func() (int, any)
	token           func(r *http.Request) (int, any) // nil if the endpoint does not exist
	userInfo        func(r *http.Request) (int, any)
	published       []Key
}

// Key is a key that tokens are signed with.
type Key struct {
	ID, Alg string
	Private crypto.Signer
}

// Start starts an issuer that publishes the keys.
func Start(t testing.TB, keys ...Key) *Issuer {
	s := &Issuer{t: t, published: keys}
	srv := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Publish has the issuer publish other keys.
func (s *Issuer) Publish(keys ...Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published, s.keys = keys, nil
}

// AnswerKeys makes the endpoint of the keys return answer's status and body. nil restores the keys.
func (s *Issuer) AnswerKeys(answer func() (status int, body any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = answer
}

// AnswerDiscovery does the same for the discovery document.
func (s *Issuer) AnswerDiscovery(answer func() (status int, body any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.discovery = answer
}

// AnswerToken makes the token endpoint return answer's status and body. It has parsed the request's form.
func (s *Issuer) AnswerToken(answer func(r *http.Request) (status int, body any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = answer
}

// AnswerUserInfo does the same for the userinfo endpoint.
func (s *Issuer) AnswerUserInfo(answer func(r *http.Request) (status int, body any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.userInfo = answer
}

func (s *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	discovery, keys, published, token, userInfo := s.discovery, s.keys, s.published, s.token, s.userInfo
	s.mu.Unlock()
	status, body := http.StatusOK, any(nil)
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		body = map[string]any{"issuer": s.URL, "jwks_uri": s.URL + "/keys", "authorization_endpoint": s.URL + "/authorize"}
		if token != nil {
			body.(map[string]any)["token_endpoint"] = s.URL + "/token"
		}
		if userInfo != nil {
			body.(map[string]any)["userinfo_endpoint"] = s.URL + "/userinfo"
		}
		if discovery != nil {
			status, body = discovery()
		}
	case "/keys":
		s.Asked.Add(1)
		body = BuildJWKS(published...)
		if keys != nil {
			status, body = keys()
		}
	default:
		status = http.StatusNotFound
		if r.URL.Path == "/token" && token != nil && r.ParseForm() == nil {
			status, body = token(r)
		}
		if r.URL.Path == "/userinfo" && userInfo != nil {
			status, body = userInfo(r)
		}
	}
	if status/100 == 3 {
		w.Header().Set("Location", s.URL+"/keys")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if text, ok := body.(string); ok {
		_, _ = w.Write([]byte(text))
		return
	}
	_ = json.NewEncoder(w).Encode(body)
}

// BuildJWKS returns the set of public keys as RFC 7517 writes it.
func BuildJWKS(keys ...Key) map[string]any {
	list := []any{}
	for _, k := range keys {
		list = append(list, BuildJWK(k))
	}
	return map[string]any{"keys": list}
}

// BuildJWK returns the public part of a key.
func BuildJWK(k Key) map[string]any {
	m := map[string]any{"kid": k.ID, "alg": k.Alg, "use": "sig"}
	switch p := k.Private.Public().(type) {
	case *rsa.PublicKey:
		m["kty"], m["n"], m["e"] = "RSA", encodeBase64(p.N.Bytes()), encodeBase64(big.NewInt(int64(p.E)).Bytes())
	case *ecdsa.PublicKey:
		point, err := p.Bytes()
		if err != nil {
			panic(err)
		}
		half := len(point) / 2
		m["kty"], m["crv"], m["x"], m["y"] = "EC", p.Params().Name, encodeBase64(point[1:1+half]), encodeBase64(point[1+half:])
	case ed25519.PublicKey:
		m["kty"], m["crv"], m["x"] = "OKP", "Ed25519", encodeBase64(p)
	}
	return m
}

// NewKey makes a key for an algorithm.
func NewKey(t testing.TB, id, alg string) Key {
	t.Helper()
	var private crypto.Signer
	var err error
	switch alg {
	case "ES256":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "ES512":
		private, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case "EdDSA":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	require.NoError(t, err)
	return Key{ID: id, Alg: alg, Private: private}
}

// BuildClaims returns the claims of a valid token: audience headgate, valid for one hour from now.
func (s *Issuer) BuildClaims(now time.Time, more map[string]any) map[string]any {
	c := map[string]any{
		"iss": s.URL, "sub": "ada", "aud": "headgate", "iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		"name": "Ada", "roles": []string{"owner"},
	}
	maps.Copy(c, more)
	for k, v := range more {
		if v == nil {
			delete(c, k)
		}
	}
	return c
}

// SignToken signs claims.
func (k Key) SignToken(t testing.TB, claims map[string]any) string {
	t.Helper()
	return k.SignTokenWith(t, map[string]any{"typ": "JWT", "alg": k.Alg, "kid": k.ID}, claims)
}

// SignTokenWith signs claims under a header of the test's own, with the key's algorithm whatever the header says.
func (k Key) SignTokenWith(t testing.TB, header, claims map[string]any) string {
	t.Helper()
	signing := MakeUnsignedToken(t, header, claims)
	hash := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}[k.Alg[len(k.Alg)-3:]]
	var sig []byte
	var err error
	switch p := k.Private.(type) {
	case ed25519.PrivateKey:
		sig = ed25519.Sign(p, []byte(signing))
	case *ecdsa.PrivateKey:
		r, s, e := ecdsa.Sign(rand.Reader, p, hashText(hash, signing))
		require.NoError(t, e)
		size := (p.Params().BitSize + 7) / 8
		sig = append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	case *rsa.PrivateKey:
		if k.Alg[0] == 'P' {
			sig, err = rsa.SignPSS(rand.Reader, p, hash, hashText(hash, signing), &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
		} else {
			sig, err = rsa.SignPKCS1v15(rand.Reader, p, hash, hashText(hash, signing))
		}
	}
	require.NoError(t, err)
	return signing + "." + encodeBase64(sig)
}

// SignHMACToken signs claims with a secret, as HS256.
func SignHMACToken(t testing.TB, header, claims map[string]any, secret []byte) string {
	t.Helper()
	signing := MakeUnsignedToken(t, header, claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signing))
	return signing + "." + encodeBase64(mac.Sum(nil))
}

// MakeUnsignedToken returns the signing input of a token: header and claims.
func MakeUnsignedToken(t testing.TB, header, claims map[string]any) string {
	t.Helper()
	h, err := json.Marshal(header)
	require.NoError(t, err)
	c, err := json.Marshal(claims)
	require.NoError(t, err)
	return encodeBase64(h) + "." + encodeBase64(c)
}

func hashText(h crypto.Hash, text string) []byte {
	w := h.New()
	w.Write([]byte(text))
	return w.Sum(nil)
}

func encodeBase64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
