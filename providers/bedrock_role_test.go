package providers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// awsFake plays the services that give roles to programs, as AWS's documentation describes them:
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html,
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html and
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html.
type awsFake struct {
	url     string
	fetches atomic.Int64
	status  int // of the keys; 0: 200
}

const roleKeys = `{"Code":"Success","AccessKeyId":"ASIAROLE","SecretAccessKey":"role-secret","Token":"role-session","Expiration":"%s"}`

func newAWSFake(t *testing.T) *awsFake {
	f := &awsFake{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		keys := func() {
			f.fetches.Add(1)
			if f.status != 0 {
				w.WriteHeader(f.status)
			}
			_, _ = fmt.Fprintf(w, roleKeys, in)
		}
		switch {
		case r.Method == http.MethodPut && r.URL.Path == "/latest/api/token" && r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds") != "":
			_, _ = w.Write([]byte("session-of-the-service"))
		case strings.HasPrefix(r.URL.Path, "/latest/") && r.Header.Get("X-Aws-Ec2-Metadata-Token") != "session-of-the-service":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/":
			_, _ = w.Write([]byte("my-role"))
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/my-role":
			keys()
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "container-token":
			keys()
		case r.URL.Path == "/sts" && r.Method == http.MethodPost && r.FormValue("WebIdentityToken") == "signed.by.another" &&
			r.FormValue("RoleArn") == "arn:aws:iam::1:role/r" && r.FormValue("Action") == "AssumeRoleWithWebIdentity":
			f.fetches.Add(1)
			_, _ = fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>`+
				`<Credentials><SessionToken>role-session</SessionToken><SecretAccessKey>role-secret</SecretAccessKey><Expiration>%s</Expiration>`+
				`<AccessKeyId>ASIAROLE</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, in)
		case r.URL.Path == "/elsewhere":
			http.Redirect(w, r, "/container", http.StatusFound)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

// headers is a client that keeps what it was sent.
type headers struct {
	mu  sync.Mutex
	got []http.Header
}

func (c *headers) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	h := http.Header{}
	for _, f := range r.Header {
		h.Add(f.Name, f.Value)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, h)
	return mockJSON(http.StatusOK, map[string]any{}), nil
}

func (*headers) Close() error { return nil }

func roleSettings(c upstream.Client, env map[string]string) Settings {
	return Settings{Name: "bedrock", Region: "eu-west-1", Client: c, Env: func(name string) string { return env[name] }}
}

func TestCallsAreSignedWithTheRoleThatAWSGives(t *testing.T) {
	f := newAWSFake(t)
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("signed.by.another\n"), 0o600))
	authFile := filepath.Join(t.TempDir(), "auth")
	require.NoError(t, os.WriteFile(authFile, []byte("container-token\n"), 0o600))
	for name, env := range map[string]map[string]string{
		"a container":             {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.url + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "container-token"},
		"a container with a file": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.url + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": authFile},
		"a machine":               {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": f.url},
		"a web identity": {
			"AWS_WEB_IDENTITY_TOKEN_FILE": file, "AWS_ROLE_ARN": "arn:aws:iam::1:role/r", "AWS_ENDPOINT_URL_STS": f.url + "/sts",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, sent := f.fetches.Load(), &headers{}
			p := newProvider(t, roleSettings(sent, env))
			x := exchange(openAIChat, "eu.amazon.nova-lite-v1:0", false)
			var wg sync.WaitGroup
			for range 100 {
				r := request(t, p, x)
				wg.Go(func() {
					_, err := p.Client().Do(t.Context(), r)
					assert.NoError(t, err)
				})
			}
			wg.Wait()
			assert.EqualValues(t, 1, f.fetches.Load()-before, "one fetch for all calls")
			require.Len(t, sent.got, 100)
			assert.Contains(t, sent.got[99].Get("Authorization"), "AWS4-HMAC-SHA256 Credential=ASIAROLE/")
			assert.Contains(t, sent.got[99].Get("Authorization"), "/eu-west-1/bedrock/aws4_request")
			assert.Equal(t, []string{"role-session"}, sent.got[99].Values("X-Amz-Security-Token"))
		})
	}
}

func TestARoleIsAskedForNowhereElse(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"a host of the internet":   {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.com/keys"},
		"a host of the network":    {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://10.0.0.1/keys"},
		"a name for the machine":   {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost/keys"},
		"a user in the address":    {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://a:b@example.com/keys"},
		"another scheme":           {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "file:///etc/passwd"},
		"a path that is a host":    {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@example.com/keys"},
		"a path that is a port":    {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ".example.com/keys"},
		"metadata of another host": {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://10.0.0.1"},
		"a token service in clear": {"AWS_WEB_IDENTITY_TOKEN_FILE": "f", "AWS_ROLE_ARN": "r", "AWS_ENDPOINT_URL_STS": "http://example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(roleSettings(&headers{}, env))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "example.com")
		})
	}
}

func TestACallWithoutKeysIsNotMade(t *testing.T) {
	f := newAWSFake(t)
	for name, env := range map[string]map[string]string{
		"a wrong authorization": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.url + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "wrong"},
		"a redirect":            {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.url + "/elsewhere", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "container-token"},
		"a file that is away":   {"AWS_WEB_IDENTITY_TOKEN_FILE": "/none", "AWS_ROLE_ARN": "r", "AWS_ENDPOINT_URL_STS": f.url + "/sts"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := &headers{}
			p := newProvider(t, roleSettings(sent, env))
			_, err := p.Client().Do(t.Context(), request(t, p, exchange(openAIChat, "amazon.nova-lite-v1:0", false)))
			require.ErrorContains(t, err, "could not obtain an access token")
			assert.Empty(t, sent.got)
			assert.NotContains(t, err.Error(), "container-token")
		})
	}
}
