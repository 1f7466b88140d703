package contract_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/license"
)

// licence returns a licence for tests, with the public key that verifies it.
type licence struct{ text, key string }

func newLicence(t *testing.T) licence {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	now := time.Now().UTC().Truncate(time.Second)
	file, err := license.Sign(license.License{
		ID: "contract", Licensee: "Contract", Type: license.Production, IssuedAt: now.Add(-time.Hour), ExpiresAt: now.Add(365 * 24 * time.Hour),
	}, private)
	require.NoError(t, err)
	return licence{string(file), base64.StdEncoding.EncodeToString(public)}
}

// grant sets a gateway's licence, as an owner does.
func (r *real) grant(t judge, g *gateway) {
	t.Helper()
	own := &T{judge: t, place: granted{r, g}}
	own.client().addHeader("Authorization", "Bearer "+ownerToken).do(http.MethodPut, "/admin/v1/license", m{"license": r.licence.text}).is(200)
}

// granted is the place of one gateway with a licence.
type granted struct {
	*real
	g *gateway
}

func (p granted) gateway(judge, string) *gateway { return p.g }
