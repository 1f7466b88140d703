package contract_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// issuer is an identity provider with one key.
type issuer struct {
	*httptest.Server
	key *rsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i := &issuer{key: key}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var body any
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			body = m{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}}
		case "/keys":
			body = m{"keys": []m{{
				"kty": "RSA", "kid": "one", "alg": "RS256", "use": "sig",
				"n": encodeUnpadded(key.N.Bytes()), "e": encodeUnpadded(big.NewInt(int64(key.E)).Bytes()),
			}}}
		default:
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(body) // the gateway sees what is missing
	}))
	t.Cleanup(i.Close)
	return i
}

func encodeUnpadded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token returns a signed token with the given claims.
func (i *issuer) token(t *T, claims m) string {
	t.Helper()
	all := m{"iss": i.URL, "aud": "headgate", "sub": t.name("subject"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	for k, v := range claims {
		all[k] = v
	}
	body, err := json.Marshal(all)
	require.NoError(t, err)
	text := encodeUnpadded([]byte(`{"alg":"RS256","kid":"one","typ":"JWT"}`)) + "." + encodeUnpadded(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return text + "." + encodeUnpadded(signature)
}

var issuerRows = rows{
	"auth.mode.oidc": func(t *T) {
		t = t.useVariant(federated)
		idp := t.place.issuer()
		require.NotNil(t, idp)
		with := func(claims m) *client { return t.bearer(idp.token(t, claims)) }
		tenant := t.tenant()
		with(m{"roles": []string{"owner"}}).sees(tenants)
		admin := with(m{"roles": []string{"admin"}, "tenant_id": tenant})
		admin.sees(tenants + "/" + tenant)
		admin.get(pricing).requireRefusal(403, "authorization_error", "FORBIDDEN")
		for _, claims := range []m{
			{"roles": []string{"owner", "viewer"}, "tenant_id": tenant}, // of the platform and of a tenant
			{"roles": []string{"owner"}, "exp": time.Now().Add(-time.Hour).Unix()},
			{"roles": []string{"owner"}, "iss": "https://another.example.com"},
			{"roles": []string{"owner"}, "aud": "another"},
			{"roles": []string{"nobody"}},
			{},
		} {
			a := with(claims).get(tenants)
			require.Contains(t, []int{401, 403}, a.status, "%v: %s", claims, a.body)
			a.requireRefusal(a.status, "", "")
		}
		whole := idp.token(t, m{"roles": []string{"owner"}})
		t.bearer(whole[:len(whole)-8]+"AAAAAAAA").get(tenants).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		plain := t.useVariant(licensed)
		plain.bearer(whole).get(tenants).requireRefusal(401, "authentication_error", "UNAUTHORIZED") // the gateway is not in that mode
	},
}
