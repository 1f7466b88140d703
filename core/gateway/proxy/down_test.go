package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// openPair starts a gateway whose model "many" is served by the providers a and b, in this order.
func openPair(t *testing.T) (g *gate, a, b *fake) {
	t.Helper()
	a = newFake(t, says(buildWhole(200, "application/json", completion("from a"))))
	b = newFake(t, says(buildWhole(200, "application/json", completion("from b"))))
	g = open(t, setup{url: a.url, runtime: strict, targets: []route.Provider{
		openAI(t, "a", a.url, nil, noTimeouts), openAI(t, "b", b.url, nil, noTimeouts),
	}})
	g.proxy.Recent = recent.New()
	return g, a, b
}

func TestAGrantTreatsAProviderAsDownForItsOwnExchangeAlone(t *testing.T) {
	g, a, b := openPair(t)
	for i := range 20 { // more than a circuit breaker allows of failures
		w := g.try(proxy.Grant{Tenant: "tenant-a", Actor: "user:ada", Down: "a"}, manyBody)
		require.Equal(t, 200, w.Code, w.Body)
		assert.Contains(t, w.Body.String(), "from b")
		assert.Len(t, a.requests(), i)
		e, ok := g.proxy.Recent.Find("tenant-a", w.Result().Header.Get("X-Trace-Id"))
		require.True(t, ok)
		require.Len(t, e.Attempts, 2)
		assert.Equal(t, "b", e.Provider)
		assert.True(t, e.Attempts[0].Skipped)
		assert.Equal(t, "a", e.Attempts[0].Provider)
		assert.False(t, e.Attempts[1].Skipped)
		assert.LessOrEqual(t, e.Attempts[0].Began, e.Attempts[1].Began)
		assert.Contains(t, g.post("dev", manyBody).body, "from a", "traffic of other callers, and the health of the provider")
	}
	assert.Len(t, b.requests(), 20)
	downs := 0
	for _, r := range g.records() {
		if r.payload["down"] == "a" {
			assert.Equal(t, "user:ada", r.payload["actor"])
			downs++
		}
	}
	assert.Equal(t, 20, downs)
	assert.Contains(t, g.try(proxy.Grant{Tenant: "tenant-a", Down: "b"}, manyBody).Body.String(), "from a")
}

func TestWithoutAFallbackAProviderThatIsTreatedAsDownIsAnError(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
	g := open(t, setup{runtime: strict, targets: []route.Provider{openAI(t, "only", up.url, nil, noTimeouts)}})
	assert.Contains(t, g.proxy.Providers(), "only")
	for range 20 {
		w := g.try(proxy.Grant{Tenant: "tenant-a", Down: "only"}, manyBody)
		assert.Equal(t, 503, w.Code)
		assert.Contains(t, w.Body.String(), "is treated as down for this request")
	}
	assert.Empty(t, up.requests())
	assert.Equal(t, 200, g.post("dev", manyBody).status, "its circuit is closed")
	w := g.try(proxy.Grant{Tenant: "tenant-a", Down: "nobody"}, manyBody)
	assert.Equal(t, 400, w.Code)
	assert.Contains(t, w.Body.String(), "there is no provider of this name")
}

func TestNoClientTreatsAProviderAsDown(t *testing.T) {
	g, a, b := openPair(t)
	const named = `{"model":"many","down":"a","messages":[{"role":"user","content":"hi"}]}`
	assert.Equal(t, 200, g.post("dev", manyBody, "Down", "a", "X-Down", "a", "X-Headgate-Down", "a", "X-Fallback-Test", "a").status)
	g.post("dev", named)
	assert.NotEmpty(t, a.requests())
	assert.Empty(t, b.requests())
}
