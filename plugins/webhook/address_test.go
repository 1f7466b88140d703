package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

func TestAURLIsCheckedBeforeItIsCalled(t *testing.T) {
	for _, c := range []struct{ url, why string }{
		{"", "not an http or https URL"},
		{"ftp://example.com", "not an http or https URL"},
		{"https:example.com", "not an http or https URL"},
		{"https://", "not an http or https URL"},
		{"https://user:hidden@example.com", "user or password"},
		{"https://example.com/#x", "fragment"},
		{"http://example.com/?hidden", "plain http"},
		{"https://127.0.0.1/", "of this machine"},
		{"https://[::1]/", "of this machine"},
		{"https://localhost/", "of this machine"},
		{"https://a.LOCALHOST./", "of this machine"},
		{"https://169.254.169.254/latest", "metadata"},
		{"https://[::ffff:10.0.0.1]/", "private"},
	} {
		_, err := New(Options{Link: "x", URL: c.url, Secret: secret})
		require.ErrorContains(t, err, c.why, c.url)
		assert.NotContains(t, err.Error(), "hidden")
	}
	_, err := New(Options{Link: "x", URL: "http://169.254.169.254/", Secret: secret, AllowPrivate: true})
	require.ErrorContains(t, err, "metadata", "allow_private does not allow these")
	_, err = New(Options{Link: "x", URL: "https://example.com", Secret: "short"})
	require.ErrorContains(t, err, "fewer than 16")
	_, err = New(Options{Link: "x", URL: "https://example.com", Secret: secret, Previous: secret})
	require.ErrorContains(t, err, "until")
}

// counts returns other addresses from the second lookup on.
type counts struct {
	first, later []netip.Addr
	asked        int
}

func (c *counts) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if c.asked++; c.asked == 1 {
		return c.first, nil
	}
	return c.later, nil
}

func TestANameIsLookedUpOncePerConnectionAndAllItsAddressesCount(t *testing.T) {
	local, public := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.7")
	r := receives(t, finds(webhook.Flag))
	u, err := url.Parse(r.URL)
	require.NoError(t, err)

	// The receiver listens on loopback only, so reaching it shows which address was dialled.
	names := &counts{first: []netip.Addr{local}, later: []netip.Addr{public}}
	s := r.link(t, func(o *Options) { o.URL, o.resolver = "http://guard.example.com:"+u.Port(), names })
	_, err = check(s, "x")
	require.NoError(t, err)
	assert.Equal(t, 1, names.asked)

	for _, answer := range [][]netip.Addr{{local}, {netip.MustParseAddr("8.8.8.8"), local}, {netip.MustParseAddr("::ffff:10.0.0.1")}} {
		names := &counts{first: answer, later: answer}
		s, err := New(Options{Link: "the-guard", URL: "https://guard.example.com:" + u.Port(), Secret: secret, resolver: names})
		require.NoError(t, err)
		_, err = check(s, "x")
		checkFault(t, err, core.FaultError, "leads to an address that is")
	}
	assert.EqualValues(t, 1, r.calls.Load(), "none of these reached it")
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	asked := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	r := receives(t, finds(webhook.Flag))
	a, err := newAsker(Options{Link: "the-guard", URL: r.URL, Secret: secret, AllowPrivate: true})
	require.NoError(t, err)
	assert.Nil(t, a.client.Transport.(*http.Transport).Proxy)
	_, err = check(r.link(t), "x")
	require.NoError(t, err)
	assert.False(t, asked)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	followed := false
	r := serves(t, new(receiver), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/elsewhere") {
			followed = true
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	_, err := check(r.link(t), canary)
	checkFault(t, err, core.FaultError, "redirects are not followed")
	assert.False(t, followed)
}
