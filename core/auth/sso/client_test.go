package sso_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/sso"
	"github.com/headgate-dev/headgate/core/auth/sso/ssotest"
)

const callback = "https://headgate.example.com/login/oidc/callback"

// signing is an issuer at which somebody signs in.
type signing struct {
	t      *testing.T
	clock  *clock
	issuer *ssotest.Issuer
	key    ssotest.Key
	client *sso.Client
}

// startIssuer prepares an issuer whose token endpoint answers what token makes of the claims that are in order.
func startIssuer(t *testing.T, secret string, token func(s *signing, r *http.Request, claims map[string]any) (int, any)) *signing {
	t.Helper()
	s := &signing{t: t, clock: newClock(), key: ssotest.NewKey(t, "k", "ES256")}
	s.issuer = ssotest.Start(t, s.key)
	s.client = verifier(t, s.issuer, s.clock, nil).NewClient("console", secret, "openid profile")
	s.issuer.AnswerToken(func(r *http.Request) (int, any) {
		return token(s, r, s.issuer.BuildClaims(s.clock.now(), map[string]any{"aud": "console", "azp": "console", "nonce": r.PostForm.Get("code")}))
	})
	return s
}

// grantToken answers a token with the claims.
func grantToken(s *signing, _ *http.Request, claims map[string]any) (int, any) {
	return 200, map[string]any{"id_token": s.key.SignToken(s.t, claims), "access_token": "the-access-token", "token_type": "Bearer"}
}

// signIn begins a sign-in, and comes back as the issuer sends people back: the code is the nonce here.
func (s *signing) signIn(change func(b *sso.Pending, back url.Values)) (*auth.Actor, error) {
	s.t.Helper()
	to, b, err := s.client.BeginSignIn(context.Background(), callback)
	require.NoError(s.t, err)
	u, err := url.Parse(to)
	require.NoError(s.t, err)
	back := url.Values{"state": {u.Query().Get("state")}, "code": {u.Query().Get("nonce")}}
	if change != nil {
		change(&b, back)
	}
	return s.client.FinishSignIn(context.Background(), b, back)
}

func TestACodeIsAskedForWithPKCEStateAndNonce(t *testing.T) {
	for _, secret := range []string{"", "the secret & more"} {
		var asked url.Values
		var name, pass string
		s := startIssuer(t, secret, func(s *signing, r *http.Request, claims map[string]any) (int, any) {
			asked = r.PostForm
			name, pass, _ = r.BasicAuth()
			return grantToken(s, r, claims)
		})
		to, b, err := s.client.BeginSignIn(context.Background(), callback)
		require.NoError(t, err)
		u, err := url.Parse(to)
		require.NoError(t, err)
		q := u.Query()
		assert.Equal(t, s.issuer.URL+"/authorize", u.Scheme+"://"+u.Host+u.Path)
		assert.Equal(t, "code", q.Get("response_type"))
		assert.Equal(t, "console", q.Get("client_id"))
		assert.Equal(t, callback, q.Get("redirect_uri"))
		assert.Equal(t, "openid profile", q.Get("scope"))
		assert.Equal(t, "S256", q.Get("code_challenge_method"))
		sum := sha256.Sum256([]byte(b.Verifier))
		assert.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:]), q.Get("code_challenge"))
		assert.GreaterOrEqual(t, len(b.Verifier), 43)
		assert.NotContains(t, to, b.Verifier)
		who, err := s.client.FinishSignIn(context.Background(), b, url.Values{"state": {b.State}, "code": {b.Nonce}})
		require.NoError(t, err)
		assert.Equal(t, s.issuer.URL+" ada", who.Subject)
		assert.Equal(t, []auth.Role{auth.RoleOwner}, who.Roles)
		assert.Equal(t, b.Verifier, asked.Get("code_verifier"))
		assert.Equal(t, callback, asked.Get("redirect_uri"))
		assert.Equal(t, "authorization_code", asked.Get("grant_type"))
		if secret == "" {
			assert.Equal(t, "console", asked.Get("client_id"))
			assert.Empty(t, name)
		} else {
			assert.Equal(t, []string{"console", url.QueryEscape(secret)}, []string{name, pass})
			assert.NotContains(t, asked.Encode(), "secret")
		}
		_, again, err := s.client.BeginSignIn(context.Background(), callback)
		require.NoError(t, err)
		assert.NotEqual(t, []string{b.State, b.Nonce, b.Verifier}, []string{again.State, again.Nonce, again.Verifier})
	}
}

func TestWhoComesBackWithSomethingElseIsRefused(t *testing.T) {
	s := startIssuer(t, "", grantToken)
	for name, x := range map[string]struct {
		change func(b *sso.Pending, back url.Values)
		says   string
	}{
		"another state":       {func(_ *sso.Pending, back url.Values) { back.Set("state", "x") }, "another window"},
		"no state":            {func(_ *sso.Pending, back url.Values) { back.Del("state") }, "another window"},
		"no state on either":  {func(b *sso.Pending, back url.Values) { b.State = ""; back.Del("state") }, "another window"},
		"too late":            {func(b *sso.Pending, _ url.Values) { b.At = b.At.Add(-16 * time.Minute) }, "has ended"},
		"too early":           {func(b *sso.Pending, _ url.Values) { b.At = b.At.Add(time.Hour) }, "has ended"},
		"another issuer":      {func(_ *sso.Pending, back url.Values) { back.Set("iss", "https://evil.example") }, "another identity provider"},
		"refused there":       {func(_ *sso.Pending, back url.Values) { back.Set("error", "access_denied") }, "access_denied"},
		"refused with a text": {func(_ *sso.Pending, back url.Values) { back.Set("error", "<script>") }, "for an unknown reason"},
		"no code":             {func(_ *sso.Pending, back url.Values) { back.Del("code") }, "without a code"},
		"another nonce":       {func(b *sso.Pending, _ url.Values) { b.Nonce = "x" }, "another nonce"},
		"no nonce":            {func(b *sso.Pending, back url.Values) { back.Set("code", "x") }, "another nonce"},
	} {
		who, err := s.signIn(x.change)
		assert.Nil(t, who, name)
		assert.Contains(t, says(t, err), x.says, name)
	}
	who, err := s.signIn(func(_ *sso.Pending, back url.Values) { back.Set("iss", s.issuer.URL) })
	require.NoError(t, err)
	assert.Equal(t, "Ada", who.Name)
}

// says is what a refusal says, for the audit chain or for people.
func says(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	var r *auth.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	var e *core.Error
	require.ErrorAs(t, err, &e)
	if e.Err != nil {
		return e.Public + " " + e.Err.Error()
	}
	return e.Public
}

func TestTokensThatAreNotInOrderAreRefused(t *testing.T) {
	evil := ssotest.NewKey(t, "k", "ES256")
	claim := func(name string, v any) func(*signing, *http.Request, map[string]any) (int, any) {
		return func(s *signing, r *http.Request, claims map[string]any) (int, any) {
			claims[name] = v
			return grantToken(s, r, claims)
		}
	}
	for name, x := range map[string]struct {
		token func(*signing, *http.Request, map[string]any) (int, any)
		says  string
	}{
		"for the API":             {claim("aud", "headgate"), "another audience"},
		"for another client":      {claim("azp", "other"), "azp"},
		"an azp that is a number": {claim("azp", 7), "azp"},
		"of another issuer":       {claim("iss", "https://evil.example"), "another issuer"},
		"expired":                 {claim("exp", 1), "expired"},
		"mixed roles":             {claim("roles", []string{"owner", "viewer"}), "are mixed"},
		"no roles":                {claim("roles", []string{}), "holds none of the roles"},
		"signed by another": {func(s *signing, _ *http.Request, claims map[string]any) (int, any) {
			return 200, map[string]any{"id_token": evil.SignToken(s.t, claims)}
		}, "signature does not match"},
		"unsigned": {func(s *signing, _ *http.Request, claims map[string]any) (int, any) {
			return 200, map[string]any{"id_token": ssotest.MakeUnsignedToken(s.t, map[string]any{"alg": "none"}, claims) + "."}
		}, "JWT"},
		"no id token": {func(*signing, *http.Request, map[string]any) (int, any) {
			return 200, map[string]any{"access_token": "x"}
		}, "no id token"},
		"a code of before": {func(*signing, *http.Request, map[string]any) (int, any) {
			return 400, map[string]any{"error": "invalid_grant"}
		}, "did not accept the code: invalid_grant"},
		"a wrong secret": {func(*signing, *http.Request, map[string]any) (int, any) {
			return 401, map[string]any{"error": "invalid_client"}
		}, "client_id and client_secret"},
		"a page":            {func(*signing, *http.Request, map[string]any) (int, any) { return 200, "<html>" }, "no id token"},
		"a fault":           {func(*signing, *http.Request, map[string]any) (int, any) { return 500, "" }, "status 500"},
		"led somewhere":     {func(*signing, *http.Request, map[string]any) (int, any) { return 302, "" }, "status 302"},
		"an endless answer": {func(*signing, *http.Request, map[string]any) (int, any) { return 200, string(make([]byte, 1<<20+1)) }, "larger than 1 MiB"},
	} {
		s := startIssuer(t, "secret", x.token)
		who, err := s.signIn(nil)
		assert.Nil(t, who, name)
		got := says(t, err)
		assert.Contains(t, got, x.says, name)
		assert.NotContains(t, got, "secret-value", name)
	}
}

func TestRolesThatTheTokenLacksAreAskedFor(t *testing.T) {
	s := startIssuer(t, "", func(s *signing, r *http.Request, claims map[string]any) (int, any) {
		delete(claims, "roles")
		return grantToken(s, r, claims)
	})
	_, err := s.signIn(nil)
	assert.Contains(t, says(t, err), "holds none of the roles")
	info := map[string]any{"sub": "ada", "roles": "viewer", "tenant_id": "t1", "name": "Someone else"}
	bearer := ""
	s.issuer.AnswerUserInfo(func(r *http.Request) (int, any) { bearer = r.Header.Get("Authorization"); return 200, info })
	s.clock.step(11 * time.Minute) // the document is read again
	who, err := s.signIn(nil)
	require.NoError(t, err)
	assert.Equal(t, "Bearer the-access-token", bearer)
	assert.Equal(t, []auth.Role{auth.RoleViewer}, who.Roles)
	assert.Equal(t, "t1", who.Tenant)
	assert.Equal(t, "Ada", who.Name, "what is signed comes first")
	info["sub"] = "eve"
	_, err = s.signIn(nil)
	assert.Contains(t, says(t, err), "about another user")
	s.issuer.AnswerUserInfo(func(*http.Request) (int, any) { return 500, "" })
	_, err = s.signIn(nil)
	assert.Contains(t, says(t, err), "userinfo")
}

func TestANameIsAskedForAndDoneWithout(t *testing.T) {
	s := startIssuer(t, "", func(s *signing, r *http.Request, claims map[string]any) (int, any) {
		delete(claims, "name")
		return grantToken(s, r, claims)
	})
	s.issuer.AnswerUserInfo(func(*http.Request) (int, any) {
		return 200, map[string]any{"sub": "ada", "name": "Ada L", "roles": "viewer"}
	})
	who, err := s.signIn(nil)
	require.NoError(t, err)
	assert.Equal(t, "Ada L", who.Name)
	assert.Equal(t, []auth.Role{auth.RoleOwner}, who.Roles, "what is signed comes first")
	s.issuer.AnswerUserInfo(func(*http.Request) (int, any) { return 500, "" })
	who, err = s.signIn(nil)
	require.NoError(t, err)
	assert.Equal(t, "ada", who.Name)
}

func TestAnIssuerThatIsAwayIsSaidToBe(t *testing.T) {
	s := startIssuer(t, "", grantToken)
	s.issuer.AnswerDiscovery(func() (int, any) { return 503, "" })
	_, _, err := s.client.BeginSignIn(context.Background(), callback)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 503, e.HTTPStatus())
	s.clock.step(3 * time.Second)
	s.issuer.AnswerDiscovery(func() (int, any) {
		return 200, map[string]any{
			"issuer":                 s.issuer.URL,
			"jwks_uri":               s.issuer.URL + "/keys",
			"authorization_endpoint": "http://login.example.com/authorize",
		}
	})
	_, _, err = s.client.BeginSignIn(context.Background(), callback)
	assert.Contains(t, says(t, err), "not an https address")
}
