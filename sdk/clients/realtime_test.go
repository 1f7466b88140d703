package clients

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newCertificate writes a certificate for this machine and its key, and returns their files.
func newCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

// TestTheOfficialNodeClientTalksInRealtimeSessions runs OpenAI's client, which opens sessions over TLS alone, through a gateway
// that offers HTTP/2 as well.
func TestTheOfficialNodeClientTalksInRealtimeSessions(t *testing.T) {
	dir := installClients(t)
	cert, key := newCertificate(t)
	const listen = "server: {listen: 127.0.0.1:0, "
	require.Contains(t, runConfig, listen)
	log := new(output)
	base := "https://" + serveLogged(t, listen+"tls: {cert_file: "+cert+", key_file: "+key+"}, "+runConfig[len(listen):], "", log)
	for _, form := range []string{"current", "beta"} {
		t.Run(form, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), runPatience)
			defer cancel()
			cmd := exec.CommandContext(ctx, "node", filepath.Join(dir, "realtime.mjs"), base, gatewayKey, form)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NODE_EXTRA_CA_CERTS=" + cert}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", out, log)
			assert.Contains(t, string(out), "result: Sunny in Ulm, ask anna@example.org")
		})
	}
	assert.NotContains(t, log.String(), "anna@example.org")
}
