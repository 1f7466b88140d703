package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth/sso/ssotest"
)

// adminToken is a token that an operator chose.
const adminToken = "headgate_pat_e2e0123456789abcdefghijklmnopqrst"

// asks sends an administrative request, and returns its status and message.
func (g *gate) asks(token, method, path string, body any) (int, map[string]any) {
	g.t.Helper()
	var b []byte
	if body != nil {
		var err error
		b, err = json.Marshal(body)
		require.NoError(g.t, err)
	}
	a, err := g.client(token).do(method, "/admin/v1"+path, b)
	require.NoError(g.t, err)
	assert.NotContains(g.t, a.body, adminToken)
	said := map[string]any{}
	_ = json.Unmarshal([]byte(a.body), &said) // an answer without a body has no message
	return a.status, said
}

// fetchOwner returns the owner of a token.
func (g *gate) fetchOwner(token string) (int, map[string]any) {
	g.t.Helper()
	return g.asks(token, "GET", "/me", nil)
}

func TestTheTokenOfTheEnvironmentMakesAnOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	plain := s.env
	token := func(text string) { s.env = append(plain[:len(plain):len(plain)], "HEADGATE_ADMIN_TOKEN="+text) }
	for text, says := range map[string]string{
		"headgate_pat_tooshort": "at least 32", "secret-of-another-kind-0123456789": "must start with headgate_pat_",
		adminToken + "!": "letters, digits",
	} {
		token(text)
		f := s.run("serve", "--config", "gateway.yaml")
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, "HEADGATE_ADMIN_TOKEN: ")
		assert.Contains(t, f.err, says)
		assert.NotContains(t, f.err+f.out, text)
	}

	token(adminToken)
	for range 2 { // the second start changes nothing
		g := s.serve("--config", "gateway.yaml")
		status, me := g.fetchOwner(adminToken)
		require.Equal(t, 200, status, "%v", me)
		assert.Equal(t, []any{"owner"}, me["roles"])
		status, list := g.asks(adminToken, "GET", "/pats?all=true", nil)
		require.Equal(t, 200, status)
		assert.Len(t, list["data"], 1)
		g.stop()
		assert.NotContains(t, g.out.String()+g.errs.String(), adminToken)
	}
	const next = "headgate_pat_e2e_another_0123456789abcdefghij"
	token(next)
	g := s.serve("--config", "gateway.yaml")
	status, _ := g.fetchOwner(adminToken)
	assert.Equal(t, 401, status, "the previous token has ended")
	status, _ = g.fetchOwner(next)
	assert.Equal(t, 200, status)
	f := s.run("pat", "list", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "Active")
	assert.Contains(t, f.out, "Revoked")
	assert.Contains(t, f.out, next[:20])
	assert.NotContains(t, f.out, next)
	g.stop()

	token(adminToken)
	g = s.serve("--config", "gateway.yaml")
	status, _ = g.fetchOwner(adminToken)
	assert.Equal(t, 401, status, "a revoked token stays revoked")
	assert.NotNil(t, g.findLogLine("the token in HEADGATE_ADMIN_TOKEN was revoked, and stays so; set a new one"))
}

func TestTokensAreMadeAndRevokedByCommandWhileTheGatewayRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	file := []string{"--config", "gateway.yaml"}
	verb := func(args ...string) finished { return s.run(append(args, file...)...) }
	g := s.serve(file...)
	f := s.feed(
		"correct horse battery\n",
		append([]string{"users", "create", "--email", "Ada@example.com", "--name", "Ada", "--role", "owner"}, file...)...)
	require.Zero(t, f.code, f.err)
	ada := strings.TrimSpace(f.out)
	f = s.feed("", append([]string{"users", "create", "--email", "b@example.com", "--name", "B", "--role", "owner"}, file...)...)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "no password was given: write one line to standard input")
	f = verb("users", "create", "--email", "bob@example.com", "--name", "Bob", "--role", "viewer", "--tenant", "default", "--no-password")
	require.Zero(t, f.code, f.err)

	made := map[string]string{}
	for user, flags := range map[string][]string{"ada": {"--user", "ada@example.com"}, "bob": {"--user", "bob@example.com"}, "automation": nil} {
		f = verb(append([]string{"pat", "create", "--name", "ci"}, flags...)...)
		require.Zero(t, f.code, f.err)
		made[user] = strings.TrimSpace(f.out)
	}
	for user, role := range map[string]string{"ada": "owner", "bob": "viewer", "automation": "owner"} {
		status, me := g.fetchOwner(made[user])
		require.Equal(t, 200, status, user)
		assert.Equal(t, []any{role}, me["roles"])
	}
	status, said := g.asks(made["bob"], "POST", "/tenants", map[string]any{"name": "x"})
	assert.Equal(t, 403, status, "%v", said)

	// Each API accepts only its own credentials.
	a, err := g.client(made["ada"]).do("POST", "/v1/chat/completions", chatBody("mock-echo", "hello"))
	require.NoError(t, err)
	assert.Equal(t, 401, a.status, "a personal access token opens no data plane")
	assert.Equal(t, "UNAUTHORIZED", a.code())
	for name, token := range map[string]string{"a gateway key": testKey, "a JWT without an identity provider": "e30.e30.e30"} {
		status, said = g.fetchOwner(token)
		assert.Equal(t, 401, status, name)
		assert.Equal(t, "UNAUTHORIZED", said["error"].(map[string]any)["code"], name)
	}

	_, me := g.asks(made["ada"], "GET", "/pats", nil)
	id := me["data"].([]any)[0].(map[string]any)["id"].(string)
	f = verb("pat", "revoke", id)
	require.Zero(t, f.code, f.err)
	status, _ = g.fetchOwner(made["ada"])
	assert.Equal(t, 401, status, "it ends with the next request")
	f = verb("users", "disable", "bob@example.com")
	require.Zero(t, f.code, f.err)
	status, _ = g.fetchOwner(made["bob"])
	assert.Equal(t, 401, status)
	f = s.feed("another good password\n", append([]string{"users", "passwd", ada}, file...)...)
	require.Zero(t, f.code, f.err)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"unknown user", []string{"users", "disable", "nobody@example.com"}},
		{"unknown token", []string{"pat", "revoke", "nothing"}},
		{"is not a time", []string{"pat", "create", "--name", "x", "--expires-at", "tomorrow"}},
		{"in the future", []string{"pat", "create", "--name", "x", "--expires-at", "2020-01-01T00:00:00Z"}},
		{"the user is disabled", []string{"pat", "create", "--name", "x", "--user", "bob@example.com"}},
		{"are mixed", []string{"users", "create", "--no-password", "--email", "c@example.com", "--name", "C", "--role", "owner,viewer"}},
		{"has this e-mail address", []string{"users", "create", "--no-password", "--email", "ADA@example.com", "--name", "C", "--role", "owner"}},
	} {
		f = verb(c.args...)
		assert.Equal(t, 1, f.code, "%v", c.args)
		assert.Contains(t, f.err, c.says)
	}
	f = verb("users", "list")
	assert.Contains(t, f.out, "ada@example.com")
	assert.NotContains(t, f.out, "argon2id")
	g.stop()
	for _, token := range made {
		assert.NotContains(t, g.out.String()+g.errs.String(), token)
	}
	s.verifyAudit(file...)
}

func TestAnIdentityProvidersTokensAreTakenWhereItIsConfigured(t *testing.T) {
	t.Parallel()
	key := ssotest.NewKey(t, "k1", "RS256")
	issuer := ssotest.Start(t, key)
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+adminToken, "HEADGATE_FLIGHTDECK_SECURITY_OIDC_ISSUER_URI="+issuer.URL)
	token := func(more map[string]any) string { return key.SignToken(t, issuer.BuildClaims(time.Now(), more)) }

	g := s.serve("--config", "gateway.yaml", "--set", "admin.auth.oidc.roles_claim=realm_access.roles")
	nested := func(roles ...string) map[string]any {
		return map[string]any{"roles": nil, "realm_access": map[string]any{"roles": roles}, "tenant_id": "default"}
	}
	status, me := g.fetchOwner(token(nested("viewer", "offline_access")))
	require.Equal(t, 200, status, "%v", me)
	assert.Equal(t, "jwt:ada", me["id"])
	assert.Equal(t, "default", me["tenant_id"])
	status, _ = g.asks(token(nested("viewer")), "GET", "/tenants/default", nil)
	assert.Equal(t, 200, status)
	status, said := g.asks(token(nested("viewer")), "GET", "/tenants/other", nil)
	assert.Equal(t, 403, status)
	assert.Equal(t, "TENANT_SCOPE_VIOLATION", said["error"].(map[string]any)["code"])
	status, said = g.fetchOwner(token(nested("owner", "viewer")))
	assert.Equal(t, 403, status, "%v", said)
	status, said = g.fetchOwner(token(nil))
	assert.Equal(t, 403, status, "roles of another claim do not count")
	assert.Contains(t, said["error"].(map[string]any)["message"], "realm_access.roles")
	for name, bad := range map[string]string{
		"expired":          token(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
		"another audience": token(map[string]any{"aud": "other"}),
		"another key":      ssotest.NewKey(t, "k1", "RS256").SignToken(t, issuer.BuildClaims(time.Now(), nil)),
	} {
		status, _ = g.fetchOwner(bad)
		assert.Equal(t, 401, status, name)
	}
	status, _ = g.fetchOwner(adminToken)
	assert.Equal(t, 200, status, "personal access tokens work in every mode")
	status, made := g.asks(token(nested("viewer")), "POST", "/pats", map[string]any{"name": "mine"})
	require.Equal(t, 201, status, "%v", made)
	status, me = g.fetchOwner(made["token"].(string))
	require.Equal(t, 200, status)
	assert.Equal(t, []any{"viewer"}, me["roles"])
	g.stop()

	// Without roles any valid token is admitted, and only a valid one; tenants stay separate.
	s.env = append(s.env, "HEADGATE_FLIGHTDECK_SECURITY_RBAC_ENABLED=false")
	g = s.serve("--config", "gateway.yaml")
	status, _ = g.asks(token(map[string]any{"roles": nil}), "GET", "/webhooks-or-anything", nil)
	assert.Equal(t, 404, status)
	status, said = g.asks(token(map[string]any{"roles": nil}), "GET", "/users", nil)
	assert.Equal(t, 200, status, "%v", said)
	status, _ = g.asks(token(map[string]any{"roles": nil, "tenant_id": "default"}), "GET", "/tenants/other", nil)
	assert.Equal(t, 403, status)
	status, _ = g.asks(token(map[string]any{"roles": nil, "aud": "other"}), "GET", "/users", nil)
	assert.Equal(t, 401, status)
	g.stop()
	s.verifyAudit("--config", "gateway.yaml")
}
