package token

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// identity is a fake identity service.
func identity(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func form(t *testing.T, r *http.Request) url.Values {
	assert.NoError(t, r.ParseForm())
	return r.PostForm
}

func grant(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
}

// serviceAccount returns a key file whose token service is at a URL.
// The fields are those of https://cloud.google.com/iam/docs/keys-create-delete.
func serviceAccount(t *testing.T, tokenURL string) ([]byte, *rsa.PrivateKey) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "my-project", "private_key_id": "k1", "client_email": "gate@my-project.iam.gserviceaccount.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokenURL,
	})
	require.NoError(t, err)
	return file, key
}

// The exchange is that of https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests.
func TestAServiceAccountSignsInWithAJWT(t *testing.T) {
	var key *rsa.PrivateKey
	at := ""
	at = identity(t, func(w http.ResponseWriter, r *http.Request) {
		f := form(t, r)
		assert.Equal(t, "urn:ietf:params:oauth:grant-type:jwt-bearer", f.Get("grant_type"))
		var claims jwt.MapClaims
		_, err := jwt.ParseWithClaims(f.Get("assertion"), &claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil }, jwt.WithValidMethods([]string{"RS256"}))
		assert.NoError(t, err)
		assert.Equal(t, "gate@my-project.iam.gserviceaccount.com", claims["iss"])
		assert.Equal(t, cloudScope, claims["scope"])
		assert.Equal(t, at, claims["aud"])
		grant(w, `{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}`)
	})
	file, k := serviceAccount(t, at)
	key = k
	fetch, project, err := NewGoogle(file, http.DefaultClient)
	require.NoError(t, err)
	assert.Equal(t, "my-project", project)
	for range 2 {
		got, err := fetch(context.Background())
		require.NoError(t, err)
		assert.Equal(t, "ya29.a", got.Value)
		assert.WithinDuration(t, time.Now().Add(time.Hour), got.Expires, 10*time.Minute)
	}
}

// The exchange is that of https://cloud.google.com/iam/docs/workload-identity-federation-with-other-providers.
func TestAWorkloadIdentityFederationExchangesTheTokenOfTheFile(t *testing.T) {
	at := identity(t, func(w http.ResponseWriter, r *http.Request) {
		f := form(t, r)
		assert.Equal(t, "urn:ietf:params:oauth:grant-type:token-exchange", f.Get("grant_type"))
		assert.Equal(t, "signed by another issuer", f.Get("subject_token"))
		assert.Equal(t, "urn:ietf:params:oauth:token-type:jwt", f.Get("subject_token_type"))
		grant(w, `{"access_token":"ya29.f","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","expires_in":3600,"token_type":"Bearer"}`)
	})
	subject := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(subject, []byte("signed by another issuer"), 0o600))
	file := fmt.Appendf(nil, `{"type":"external_account","audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
		"subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":%q,"credential_source":{"file":%q}}`, at+"/v1/token", subject)
	fetch, _, err := NewGoogle(file, http.DefaultClient)
	require.NoError(t, err)
	got, err := fetch(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "ya29.f", got.Value)
}

// The answer is that of https://cloud.google.com/compute/docs/access/authenticate-workloads#applications.
func TestTheMetadataServerOfGoogleCloudHandsOutATokenOfTheMachine(t *testing.T) {
	at := identity(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Google", r.Header.Get("Metadata-Flavor"))
		assert.Equal(t, "/computeMetadata/v1/instance/service-accounts/default/token", r.URL.Path)
		w.Header().Set("Metadata-Flavor", "Google")
		grant(w, `{"access_token":"ya29.m","expires_in":3599,"token_type":"Bearer"}`)
	})
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(at, "http://"))
	got, err := NewGoogleMetadata()(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "ya29.m", got.Value)
}

// The exchanges are those of https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-client-creds-grant-flow.
func TestAnApplicationOfEntraSignsInWithASecretOrAnAssertion(t *testing.T) {
	var asked url.Values
	at := identity(t, func(w http.ResponseWriter, r *http.Request) {
		asked = form(t, r)
		assert.Equal(t, "/my-tenant/oauth2/v2.0/token", r.URL.Path)
		grant(w, `{"token_type":"Bearer","expires_in":3599,"access_token":"eyJ.e"}`)
	})
	app := EntraApp{Authority: at + "/", Tenant: "my-tenant", ClientID: "app", Secret: "s3cret", Scope: "https://cognitiveservices.azure.com/.default"}
	got, err := app.NewFetch(http.DefaultClient)(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "eyJ.e", got.Value)
	assert.Equal(t, url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"app"}, "client_secret": {"s3cret"}, "scope": {"https://cognitiveservices.azure.com/.default"},
	}, asked)

	app.Secret, app.TokenFile = "", filepath.Join(t.TempDir(), "token")
	fetch := app.NewFetch(http.DefaultClient)
	_, err = fetch(context.Background())
	require.EqualError(t, err, "no access token: the token file of the workload identity cannot be read")
	for _, signed := range []string{"first", "second"} { // the issuer replaces the file
		require.NoError(t, os.WriteFile(app.TokenFile, []byte(signed+"\n"), 0o600))
		_, err = fetch(context.Background())
		require.NoError(t, err)
		assert.Equal(t, signed, asked.Get("client_assertion"))
		assert.Equal(t, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", asked.Get("client_assertion_type"))
		assert.Empty(t, asked.Get("client_secret"))
	}
}

// The exchange is that of https://learn.microsoft.com/en-us/azure/app-service/overview-managed-identity#rest-endpoint-reference;
// on machines it is that of https://learn.microsoft.com/en-us/entra/identity/managed-identities-azure-resources/how-to-use-vm-token.
func TestAManagedIdentityAsksTheEndpointThatAzureProvides(t *testing.T) {
	expires := time.Now().Add(time.Hour).Unix()
	at := identity(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "h", r.Header.Get("X-Identity-Header"))
		assert.Equal(t, "api-version=2019-08-01&client_id=mine&resource=https%3A%2F%2Fcognitiveservices.azure.com", r.URL.RawQuery)
		grant(w, fmt.Sprintf(`{"access_token":"eyJ.m","expires_on":"%d","resource":"https://cognitiveservices.azure.com","token_type":"Bearer"}`, expires))
	})
	m := ManagedIdentity{Resource: "https://cognitiveservices.azure.com", ClientID: "mine", Endpoint: at, Secret: "h"}
	got, err := m.NewFetch(http.DefaultClient)(context.Background())
	require.NoError(t, err)
	assert.Equal(t, Token{Value: "eyJ.m", Expires: time.Unix(expires, 0)}, got)

	r, err := ManagedIdentity{Resource: "https://cognitiveservices.azure.com"}.newRequest(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com", r.URL.String())
	assert.Equal(t, "true", r.Header.Get("Metadata"))
}

func TestAFailureNamesTheServiceAndNoSecret(t *testing.T) {
	at := identity(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"the secret s3cret of app is wrong"}`))
	})
	app := EntraApp{Authority: at, Tenant: "t", ClientID: "app", Secret: "s3cret", Scope: "s"}
	_, err := app.NewFetch(http.DefaultClient)(context.Background())
	require.EqualError(t, err, "no access token: Microsoft Entra ID answered 401 (invalid_client)")
	file, _ := serviceAccount(t, at)
	fetch, _, err := NewGoogle(file, http.DefaultClient)
	require.NoError(t, err)
	_, err = fetch(context.Background())
	require.EqualError(t, err, "no access token: Google's token service answered 401 (invalid_client)")
	_, err = ManagedIdentity{Endpoint: at, Secret: "s3cret"}.NewFetch(http.DefaultClient)(context.Background())
	require.EqualError(t, err, "no access token: Azure's managed identity endpoint answered 401")
	app.Authority = "http://127.0.0.1:1"
	_, err = app.NewFetch(http.DefaultClient)(context.Background())
	require.EqualError(t, err, "no access token: Microsoft Entra ID could not be asked: check the credential and that the service can be reached")
	_, err = ManagedIdentity{Endpoint: "http://127.0.0.1:1", Secret: "s3cret"}.NewFetch(http.DefaultClient)(context.Background())
	require.ErrorContains(t, err, "could not be asked")
	_, err = ManagedIdentity{Endpoint: "http://s3cret\x7f", Secret: "s3cret"}.NewFetch(http.DefaultClient)(context.Background())
	require.EqualError(t, err, "no access token: the address of the managed identity endpoint is not a URL")
}

func TestACredentialsFileThatIsNoneIsRefusedWithoutQuotingIt(t *testing.T) {
	for text, want := range map[string]string{
		`s3cret`:            ": not JSON",
		`{"type":"s3cret"}`: "`type` must be",
		`{"type":"external_account","x":"s3cret"}`:   "not a valid credentials file of the type external_account",
		`{"client_id":"s3cret","private_key":"key"}`: "`type` must be",
	} {
		_, _, err := NewGoogle([]byte(text), http.DefaultClient)
		require.ErrorContains(t, err, want, text)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestAnAnswerOfTheManagedIdentityThatIsNoTokenIsRefused(t *testing.T) {
	for answer, want := range map[string]string{
		`<html>`:                                 "did not answer with a token",
		`{"access_token":"a"}`:                   "did not say when its token expires",
		`{"access_token":"a","expires_on":"x"}`:  "did not answer with a token",
		`{"access_token":"a","expires_on":"1x"}`: "did not answer with a token",
	} {
		at := identity(t, func(w http.ResponseWriter, _ *http.Request) { grant(w, answer) })
		_, err := ManagedIdentity{Endpoint: at}.NewFetch(http.DefaultClient)(context.Background())
		require.ErrorContains(t, err, want, answer)
	}
}
