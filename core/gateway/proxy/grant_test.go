package proxy_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
)

// try sends a request as the console's playground does.
func (g *gate) try(grant proxy.Grant, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", bytes.NewReader([]byte(body)))
	w := httptest.NewRecorder()
	g.proxy.ServeGrant(w, r, grant)
	return w
}

func TestAGrantStandsForAKeyOfItsTenant(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
	g := open(t, setup{url: up.url})
	ring := recent.New()
	g.proxy.Recent = ring
	for _, c := range []struct {
		tenant string
		status int
	}{{"tenant-a", 200}, {"tenant-b", 200}, {"tenant-s", 403}, {"nobody", 404}, {"", 404}} {
		w := g.try(proxy.Grant{Tenant: c.tenant}, chat("hi"))
		assert.Equal(t, c.status, w.Code, "%s: %s", c.tenant, w.Body)
		if c.status == 200 {
			e, ok := ring.Find(c.tenant, w.Result().Header.Get("X-Trace-Id"))
			require.True(t, ok)
			assert.Equal(t, recent.PlaygroundKey, e.Key)
			assert.Len(t, e.Attempts, 1)
		}
	}
	assert.Contains(t, g.proxy.Models(), "gpt-test")
}

func TestAGrantPutsALinkInShadowForItsOwnExchangeAlone(t *testing.T) {
	blocks := streams{acts{check: func(*core.Exchange, core.Phase) (core.Verdict, error) { return objection(), nil }}}
	up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
	implied := link("records", streams{acts{check: func(*core.Exchange, core.Phase) (core.Verdict, error) { return pass, nil }}}, core.Request)
	implied.Implied = true
	g := open(t, setup{url: up.url, links: []chain.Link{link("guard", blocks, core.Request, core.Response), implied}})
	ring := recent.New()
	g.proxy.Recent = ring
	assert.Equal(t, []string{"guard"}, g.proxy.Shadowable())
	for range 3 {
		assert.Equal(t, 400, g.try(proxy.Grant{Tenant: "tenant-a"}, chat("hi")).Code)
		w := g.try(proxy.Grant{Tenant: "tenant-a", Actor: "user:ada", Shadow: []string{"guard"}}, chat("hi"))
		require.Equal(t, 200, w.Code, w.Body.String())
		e, ok := ring.Find("tenant-a", w.Result().Header.Get("X-Trace-Id"))
		require.True(t, ok)
		require.Len(t, e.Stages, 3)
		for _, s := range e.Stages {
			if s.Link == "guard" {
				assert.True(t, s.Shadow)
				assert.Equal(t, core.Block, s.Action)
			}
		}
		assert.Equal(t, 400, g.post("dev", chat("hi")).status, "traffic of other callers")
		assert.Equal(t, 400, g.try(proxy.Grant{Tenant: "tenant-a"}, chat("hi")).Code, "another message of the same user")
	}
	for _, name := range []string{"records", "nobody"} {
		assert.Equal(t, 400, g.try(proxy.Grant{Tenant: "tenant-a", Shadow: []string{name}}, chat("hi")).Code, name)
	}
}

func TestNoHeaderOfAClientStandsForAGrant(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
	g := open(t, setup{url: up.url})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v1/chat/completions", bytes.NewReader([]byte(chat("hi"))))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+recent.PlaygroundKey)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, res.StatusCode)
	assert.Empty(t, up.requests())
}
