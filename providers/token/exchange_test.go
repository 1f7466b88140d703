package token

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noRedirects is a client that follows no redirects.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func writeSubject(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "subject")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// The request and the answer are those of RFC 8693, sections 2.1 and 2.2.1.
func TestATokenIsExchangedAsTheStandardSays(t *testing.T) {
	var got url.Values
	var user, password string
	at := identity(t, func(w http.ResponseWriter, r *http.Request) {
		got = form(t, r)
		user, password, _ = r.BasicAuth()
		assert.Equal(t, "POST application/x-www-form-urlencoded", r.Method+" "+r.Header.Get("Content-Type"))
		grant(w, `{"access_token":"for-the-server","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":60}`)
	})
	file := writeSubject(t, "of-the-gateway\n")
	e := Exchange{
		URL: at, ClientID: "head gate", ClientSecret: "s:e/c", SubjectFile: file, SubjectType: "jwt",
		Audience: "https://mcp.example.com", Resource: "https://mcp.example.com/mcp", Scope: "a b",
	}
	began := time.Now()
	token, err := e.NewFetch(noRedirects)(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "for-the-server", token.Value)
	assert.WithinRange(t, token.Expires, began.Add(time.Minute), time.Now().Add(time.Minute))
	assert.Equal(t, url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"subject_token":        {"of-the-gateway"},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:jwt"},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"audience":             {"https://mcp.example.com"}, "resource": {"https://mcp.example.com/mcp"}, "scope": {"a b"},
	}, got)
	assert.Equal(t, []string{"head+gate", "s%3Ae%2Fc"}, []string{user, password}, "encoded as a form (RFC 6749, section 2.3.1)")

	require.NoError(t, os.WriteFile(file, []byte("the-next"), 0o600))
	bare := Exchange{URL: at, SubjectFile: file, SubjectType: "access_token"}
	_, err = bare.NewFetch(noRedirects)(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "the-next", got.Get("subject_token"), "the file is read for each exchange")
	assert.Empty(t, user, "without an id the client does not authenticate")
	assert.False(t, got.Has("audience") || got.Has("scope") || got.Has("resource"))
}

func TestAFailedExchangeNamesNoSecret(t *testing.T) {
	const good = `{"access_token":"t","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer"}`
	for name, c := range map[string]struct {
		status     int
		media      string
		body, says string
	}{
		"refused":             {400, "application/json", `{"error":"invalid_target","error_description":"subject-token-1"}`, "the token endpoint answered 400 (invalid_target)"},
		"refused with a text": {401, "application/json", `{"error":"subject-token-1 is bad"}`, "the token endpoint answered 401"},
		"a redirect":          {302, "application/json", good, "the token endpoint answered 302"},
		"a page":              {200, "text/html", good, "something else than JSON"},
		"no JSON":             {200, "application/json", `subject-token-1`, "something else than JSON"},
		"no token":            {200, "application/json", `{"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer"}`, "no token that a header can hold"},
		"a torn token":        {200, "application/json", `{"access_token":"a\r\nX: y","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer"}`, "no token that a header can hold"},
		"no bearer":           {200, "application/json", `{"access_token":"t","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"N_A"}`, "not a bearer token"},
		"another kind":        {200, "application/json", `{"access_token":"t","issued_token_type":"urn:ietf:params:oauth:token-type:refresh_token","token_type":"Bearer"}`, "another kind of token"},
		"an expired one":      {200, "application/json", `{"access_token":"t","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":-1}`, "has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			at := identity(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.media)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			})
			e := Exchange{URL: at, ClientID: "id", ClientSecret: "client-secret-1", SubjectFile: writeSubject(t, "subject-token-1"), SubjectType: "jwt"}
			_, err := e.NewFetch(noRedirects)(t.Context())
			require.ErrorContains(t, err, c.says)
			for _, never := range []string{"subject-token-1", "client-secret-1", at} {
				assert.NotContains(t, err.Error(), never)
			}
		})
	}
}

func TestAnExchangeNeedsItsFileAndAnAnswer(t *testing.T) {
	at := identity(t, func(http.ResponseWriter, *http.Request) { assert.Fail(t, "asked without a subject token") })
	for name, file := range map[string]string{"no file": filepath.Join(t.TempDir(), "none"), "an empty file": writeSubject(t, " \n")} {
		_, err := Exchange{URL: at, SubjectFile: file, SubjectType: "jwt"}.NewFetch(noRedirects)(t.Context())
		require.ErrorContains(t, err, "the file with the subject token", name)
		assert.NotContains(t, err.Error(), file, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Exchange{URL: "http://127.0.0.1:1/", SubjectFile: writeSubject(t, "s"), SubjectType: "jwt"}.NewFetch(noRedirects)(ctx)
	require.ErrorContains(t, err, "no access token: ")
}
