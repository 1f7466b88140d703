package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestAnotherNameOfThisMachineIsRefused(t *testing.T) {
	s := serveSite(t, nil)
	b := s.browser()
	cookie := "headgate_session=" + s.signedIn(s.user("ada", auth.RoleOwner)).session()
	for _, host := range []string{
		"evil.example", "evil.example:8090", "127.0.0.1.evil.example", "10.0.0.7:8090", "localhost.evil.example",
		"localhost:8090@evil.example", "[::2]:8090",
	} {
		a := b.get("/account", "Host", host, "Cookie", cookie)
		assert.Equal(t, http.StatusForbidden, a.status, host)
		assert.NotContains(t, a.body, "ada@example.com", host)
	}
	for _, host := range []string{"localhost:8090", "127.0.0.1:8090", "[::1]:8090", "LOCALHOST", "127.9.9.9"} {
		assert.Equal(t, http.StatusOK, b.get("/account", "Host", host, "Cookie", cookie).status, host)
	}
	assert.Equal(t, http.StatusOK, b.get("/actuator/health/liveness", "Host", "10.0.0.7:8090").status, "probes use the address")
}

func TestBehindAProxyOnlyTheConfiguredNameIsKnown(t *testing.T) {
	at, err := url.Parse("https://headgate.example.com")
	require.NoError(t, err)
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.URL = at })
	s.user("ada", auth.RoleOwner)
	b := s.browser()
	assert.Equal(t, http.StatusOK, b.get("/login", "Host", "headgate.example.com").status)
	for _, host := range []string{"localhost", "127.0.0.1", "evil.example", "headgate.example.com.evil.example"} {
		assert.Equal(t, http.StatusForbidden, b.get("/login", "Host", host).status, host)
	}
	a := b.get("/login", "Host", "headgate.example.com", "X-Forwarded-Host", "evil.example", "Forwarded", "host=evil.example")
	assert.NotContains(t, a.body, "evil.example")
}

func TestWhatAProxyForwardsIsRefusedUntilTheConsoleKnowsItsAddress(t *testing.T) {
	s := serveSite(t, nil)
	b := s.browser()
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"} {
		a := b.get("/login", header, "203.0.113.9")
		assert.Equal(t, http.StatusForbidden, a.status, header)
		assert.Contains(t, a.body, "console.url", header)
		assert.Equal(t, http.StatusOK, b.get("/actuator/health/liveness", header, "203.0.113.9").status, header)
	}
	assert.NotEqual(t, http.StatusForbidden, b.get("/login").status)
	at, err := url.Parse(s.url)
	require.NoError(t, err)
	proxied := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.URL = at })
	assert.NotEqual(t, http.StatusForbidden, proxied.browser().get("/login", "Host", at.Host, "X-Forwarded-For", "203.0.113.9").status)
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := serveSite(t, nil)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	form := url.Values{"name": {"evil"}}
	for name, header := range map[string][]string{
		"another site":             {"Sec-Fetch-Site", "cross-site"},
		"a sibling of the host":    {"Sec-Fetch-Site", "same-site"},
		"an older browser":         {"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		"an opaque origin":         {"Sec-Fetch-Site", "", "Origin", "null"},
		"another port":             {"Sec-Fetch-Site", "", "Origin", "http://127.0.0.1:1"},
		"an old browser":           {"Sec-Fetch-Site", "", "Referer", "https://evil.example/page"},
		"an old browser, no page":  {"Sec-Fetch-Site", "", "Referer", "::"},
		"almost the answer's path": {"Sec-Fetch-Site", "cross-site", "X-Original-URL", "/saml/acs"},
	} {
		a := b.post("/tokens", form, header...)
		assert.Equal(t, http.StatusForbidden, a.status, name)
		assert.Contains(t, a.body, "not sent from the console", name)
	}
	for name, header := range map[string][]string{
		"our own":                     {"Sec-Fetch-Site", "same-origin"},
		"same origin, older browser":  {"Sec-Fetch-Site", "", "Origin", s.url},
		"same origin, old browser":    {"Sec-Fetch-Site", "", "Referer", s.url + "/tokens"},
		"typed by the user":           {"Sec-Fetch-Site", "none"},
		"a program without a browser": {"Sec-Fetch-Site", ""},
	} {
		assert.Equal(t, http.StatusOK, b.post("/tokens", form, header...).status, name)
	}
	_, a := s.logIn("ada@example.com", testPassword, "Sec-Fetch-Site", "cross-site")
	assert.Equal(t, http.StatusForbidden, a.status, "another site cannot sign in a user")
	assert.Empty(t, a.cookies)
}

func TestNoPageIsFramedOrLoadsFromElsewhere(t *testing.T) {
	s := serveSite(t, nil)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	for _, path := range []string{"/account", "/login", "/nowhere", "/users/unknown", "/static/x", "/actuator/health/liveness"} {
		h := b.get(path).header
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
			"script-src 'self'",
		} {
			assert.Contains(t, policy, part, path)
		}
		assert.NotContains(t, policy, "unsafe", path)
		assert.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
		assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		assert.Equal(t, "no-store", h.Get("Cache-Control"), path)
		assert.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"), path)
	}
}

func TestNobodyIsLedElsewhere(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	for _, next := range []string{
		"https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "https:evil.example",
		"javascript:alert(1)",
		"/%09//evil.example\n", "http:///evil.example", " //evil.example", "///evil.example", "/x\r\nSet-Cookie: " +
			"a=b", "evil.example", "", "@evil.example",
	} {
		to := chooseLocalPath(next)
		u, err := url.Parse(to)
		require.NoError(t, err, next)
		assert.Empty(t, u.Host, next)
		assert.Empty(t, u.Scheme, next)
		assert.True(t, strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.ContainsAny(to, "\\\r\n\t"), "%q leads to %q",
			next, to)
		b := s.browser()
		a := b.post("/login", url.Values{"email": {ada.Email}, "password": {testPassword}, "next": {next}})
		require.Equal(t, http.StatusSeeOther, a.status)
		assert.Equal(t, to, a.to)
		a = b.post("/theme", url.Values{"theme": {"dark"}, "next": {next}})
		assert.Equal(t, to, a.to)
	}
	for _, next := range []string{"/users?after=x", "/workspaces/t1", "/costs?from=2026-01-01#x"} {
		assert.Equal(t, strings.SplitN(next, "#", 2)[0], chooseLocalPath(next))
	}
}

func FuzzInsideStaysInside(f *testing.F) {
	for _, x := range []string{"/a", "//a", "/\\a", "https://a", "/%2f/a", "/a?b=//c", "/.//a", "/..//a"} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, next string) {
		to := chooseLocalPath(next)
		base, err := url.Parse("https://console.example/login")
		require.NoError(t, err)
		got, err := base.Parse(to)
		require.NoError(t, err, "%q leads to %q", next, to)
		assert.Equal(t, "console.example", got.Host, "%q leads to %q", next, to)
		assert.False(t, strings.HasPrefix(to, "//") || strings.HasPrefix(to, "/\\") || strings.ContainsAny(to, "\\\r\n\t"), "%q leads to %q",
			next, to)
	})
}
