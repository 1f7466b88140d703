package webhook

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

func TestACertificateMustBeTrusted(t *testing.T) {
	r := new(receiver)
	r.verifier = &webhook.Verifier{Secrets: []string{secret}}
	r.Server = httptest.NewUnstartedServer(webhook.Handler(r.verifier, finds(webhook.Flag)))
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.StartTLS()
	t.Cleanup(r.Close)
	_, err := check(r.link(t), canary)
	checkFault(t, err, core.FaultError, "certificate")

	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pemOf(r.Certificate()), 0o600))
	_, err = check(r.link(t, func(o *Options) { o.Settings = Settings{Window: 400, Overlap: 100, CAFile: file} }), canary)
	require.NoError(t, err)
	_, err = New(Options{Link: "x", URL: "https://example.com", Secret: secret, Settings: Settings{CAFile: file + ".none"}})
	require.ErrorContains(t, err, "ca_file")
}

func pemOf(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func TestASecretIsReplacedWithAnOverlap(t *testing.T) {
	const fresh = "fedcba9876543210fedcba9876543210"
	now := time.Now()
	for _, c := range []struct {
		name    string
		secrets []string // that the receiver accepts
		ended   bool     // whether the overlap has ended
		works   bool
	}{
		{"the receiver has the new one", []string{fresh}, false, true},
		{"the receiver still has the old one", []string{secret}, false, true},
		{"the receiver has both", []string{secret, fresh}, false, true},
		{"the overlap is over, and the receiver has the new one", []string{fresh}, true, true},
		{"the overlap is over, and the receiver has the old one", []string{secret}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := receives(t, finds(webhook.Flag))
			r.verifier.Secrets = c.secrets
			_, err := check(r.link(t, func(o *Options) {
				o.Secret, o.Previous, o.PreviousUntil = fresh, secret, now.Add(time.Hour)
				if c.ended {
					o.PreviousUntil = now.Add(-time.Second)
				}
			}), "x")
			assert.Equal(t, c.works, err == nil, "%v", err)
		})
	}
}
