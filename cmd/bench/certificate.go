package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Names of the files of a run's certificate, which signs itself. Mock, floors and gateways all serve it.
const (
	certificateFile = "cert.pem"
	privateKeyFile  = "key.pem"
)

// writeCertificate writes a certificate for 127.0.0.1 and its key to a folder.
func writeCertificate(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "headgate bench"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, certificateFile), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(filepath.Join(dir, privateKeyFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
	)
}

// loadClientTLS returns the settings of a client that trusts the certificate in a folder; nil without a folder.
func loadClientTLS(dir string) (*tls.Config, error) {
	if dir == "" {
		return nil, nil
	}
	b, err := os.ReadFile(filepath.Join(dir, certificateFile))
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, errors.New("no certificate in " + certificateFile)
	}
	return &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}, nil
}

// wrapListener wraps a listener with the certificate in a folder, and offers protocols; without a folder it returns the
// listener.
func wrapListener(l net.Listener, dir string, protocols ...string) (net.Listener, error) {
	if dir == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, certificateFile), filepath.Join(dir, privateKeyFile))
	if err != nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: protocols}), nil
}

// trustCertificate makes the harness's own client trust the certificate in a folder.
func trustCertificate(dir string) error {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return errors.New("the default transport is another")
	}
	var err error
	t.TLSClientConfig, err = loadClientTLS(dir)
	return err
}
