package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// certificate writes a self-signed certificate for 127.0.0.1 and its key into the site.
func (s *site) certificate() *x509.CertPool {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(s.t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(s.t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.write("server.crt", public)
	s.write("server.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	pool := x509.NewCertPool()
	require.True(s.t, pool.AppendCertsFromPEM(public))
	return pool
}

func TestTheListenerSpeaksTLS(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	pool := s.certificate()
	text := strings.Replace(
		configText("", "  - stage: pii\n"),
		"metrics_listen",
		"tls: {cert_file: server.crt, key_file: server.key}, metrics_listen",
		1,
	)
	s.write("gateway.yaml", []byte(strings.Replace(text, "key: "+testKey, `key: ""`, 1)))
	g := s.serve("--config", "gateway.yaml")
	said := g.errs.String()
	key := printedKey.FindStringSubmatch(said)
	require.NotNil(t, key, said)
	assert.Contains(t, said, "curl https://"+g.addr)

	c := g.client(key[1])
	c.base = "https://" + g.addr
	c.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	require.NoError(t, c.checkEcho("mock-echo", "card "+card))

	stranger := g.client(key[1])
	stranger.base = "https://" + g.addr
	_, err := stranger.try("mock-echo", "hello")
	require.Error(t, err, "no other client trusts the certificate")
	plain, err := g.client(key[1]).try("mock-echo", "hello")
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, plain.status, "HTTP on the TLS port is refused")

	f := s.run("serve", "--config", "gateway.yaml", "--set", "server.tls.cert_file=none.crt")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "none.crt")
}
