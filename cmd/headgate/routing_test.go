package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// places are providers on loopback, named by their paths. Each answers with its name and the requested model.
type places struct {
	*httptest.Server
	mu    sync.Mutex
	down  map[string]int           // statuses, by the name of the place
	slow  map[string]time.Duration // by the name of the place
	holds chan struct{}            // what a call of the model "held" waits for
	held  chan struct{}            // told when one waits
}

func newPlaces(t *testing.T) *places {
	p := &places{down: map[string]int{}, slow: map[string]time.Duration{}, holds: make(chan struct{}), held: make(chan struct{}, 9)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Model string }
		b, _ := io.ReadAll(r.Body) // a truncated body is not JSON
		if json.Unmarshal(b, &q) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		place := strings.Split(r.URL.Path, "/")[1]
		p.mu.Lock()
		status, slow := p.down[place], p.slow[place]
		p.mu.Unlock()
		if slow > 0 {
			select {
			case <-time.After(slow):
			case <-r.Context().Done():
				return
			}
		}
		if q.Model == "held" {
			p.held <- struct{}{}
			<-p.holds
		}
		w.Header().Set("Content-Type", "application/json")
		if status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"down","code":"x"}}`)
			return
		}
		text, _ := json.Marshal(r.URL.RequestURI() + " " + q.Model)
		if strings.Contains(r.URL.Path, "/responses") {
			_, _ = fmt.Fprintf(
				w,
				`{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`,
				text,
			)
			return
		}
		_, _ = fmt.Fprintf(
			w,
			`{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`,
			text,
		)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *places) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

const (
	berlinKey = "gw_e2eKeyOfBerlin0123456789abcdef0"
	bulkKey   = "gw_e2eKeyOfNights0123456789abcdef0"
)

func serveRoutes(t *testing.T, p *places) *gate {
	s := newSite(t)
	text := strings.ReplaceAll(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  openai: {api_key: k, base_url: "URL/openai/v1"}
  a: {type: openai, api_key: k, base_url: "URL/a/v1"}
  b: {type: openai, api_key: k, base_url: "URL/b/v1"}
  c: {type: openai, api_key: k, base_url: "URL/c/v1"}
  azure-openai: {prefix: true, api_key: k, base_url: "URL/azure/openai", api_version: "2024-10-21", responses_api_version: preview}
  newer: {prefix: true, type: azure, api_key: k, base_url: "URL/newer/openai"}
routes:
  - {model_pattern: pinned, pinned_model_version: gpt-4o-2024-08-06, providers: [{provider: a}]}
  - {model_pattern: overridden, pinned_model_version: gpt-4o-2024-08-06, providers: [{provider: a, model_override: own-name}]}
  - {model_pattern: "round-*", strategy: round-robin, providers: [{provider: a}, {provider: b}, {provider: c}]}
  - {model_pattern: "weighted-*", strategy: weighted, providers: [{provider: a, weight: 3}, {provider: b, weight: 1}, {provider: c, weight: 0}]}
  - {model_pattern: "regional-*", providers: [{provider: a, region: us}, {provider: b, region: eu}, {provider: c}]}
  - {model_pattern: abroad, providers: [{provider: a, region: us}]}
  - {model_pattern: abroad-too, other_regions: true, providers: [{provider: a, region: us}]}
  - {model_pattern: "order-*", providers: [{provider: a}, {provider: b}]}
  - {model_pattern: quick, latency_sla_ms: 2000, providers: [{provider: openai, model_override: gpt-5}, {provider: b, model_override: gpt-5-nano}]}
  - {model_pattern: dear, latency_sla_ms: 60000, providers: [{provider: openai, model_override: gpt-5}, {provider: openai, model_override: gpt-5-nano}]}
  - {model_pattern: "held", providers: [{provider: a}]}
routing:
  retry: {attempts: 2, base: 10ms, max: 10ms}
  breaker: {failures: 1000}
  priority: {max_concurrent: 4, threshold_percent: {premium: 100, standard: 75, bulk: 25}}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
  - {id: berlin, region: eu, keys: [{name: dev, key: `+berlinKey+`, scopes: []}]}
  - {id: nights, tier: bulk, keys: [{name: dev, key: `+bulkKey+`, scopes: []}]}
chain: []
`, "URL", p.URL)
	s.write("gateway.yaml", []byte(text))
	return s.serve("--config", "gateway.yaml")
}

// Tests the sentences of the Route, Latency and Priority resources in the running program.
func TestCallsGoWhereTheRoutesSay(t *testing.T) {
	p := newPlaces(t)
	g := serveRoutes(t, p)
	c, berlin := g.client(testKey), g.client(berlinKey)
	at := func(t *testing.T, c *client, model string) string {
		t.Helper()
		a := c.chat(t, model, "hi")
		require.Equal(t, 200, a.status, a.body)
		return a.content()
	}
	const chat = "/v1/chat/completions "
	for _, x := range []struct{ name, model, want string }{
		{"provider/model goes to that provider, without its name", "b/gpt-x", "/b" + chat + "gpt-x"},
		{"the name after it may contain slashes", "b/meta/llama", "/b" + chat + "meta/llama"},
		{"of several providers that are known for a prefix the first by name", "gpt-4o", "/a" + chat + "gpt-4o"},
		{"pinned_model_version replaces the client's name", "pinned", "/a" + chat + "gpt-4o-2024-08-06"},
		{"model_override comes before the pin", "overridden", "/a" + chat + "own-name"},
		{"a tenant without a region: targets as written", "regional-x", "/a" + chat + "regional-x"},
		{"azure is another name; a deployment in the path, the version in the query", "azure/gpt-4o", "/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21 gpt-4o"},
		{"without a version the newer address", "newer/gpt-4o", "/newer/openai" + chat + "gpt-4o"},
	} {
		t.Run(x.name, func(t *testing.T) { assert.Equal(t, x.want, at(t, c, x.model)) })
	}
	t.Run("responses-api-version is that of the Responses API alone", func(t *testing.T) {
		for model, want := range map[string]string{
			"azure/gpt-4o": "/azure/openai/v1/responses?api-version=preview gpt-4o", "newer/gpt-4o": "/newer/openai/v1/responses gpt-4o",
		} {
			a, err := c.do("POST", "/v1/responses", []byte(`{"model":"`+model+`","input":"hi"}`))
			require.NoError(t, err)
			assert.Contains(t, a.body, want)
		}
	})
	t.Run("round-robin: each is first in turn, for each model", func(t *testing.T) {
		for range 2 {
			for _, place := range []string{"a", "b", "c"} {
				assert.Equal(t, "/"+place+chat+"round-x", at(t, c, "round-x"))
			}
		}
	})
	t.Run("weighted: by chance, in proportion; a weight of 0 is only a fallback", func(t *testing.T) {
		n := map[string]int{}
		for range 200 {
			n[at(t, c, "weighted-x")[1:2]]++
		}
		assert.InDelta(t, 150, n["a"], 45, "seven standard deviations")
		assert.Equal(t, 200, n["a"]+n["b"])
		p.set(func() { p.down["a"], p.down["b"] = 501, 501 })
		assert.Equal(t, "/c"+chat+"weighted-x", at(t, c, "weighted-x"))
		p.set(func() { clear(p.down) })
	})
	t.Run("region: the tenant's first, then those without one, no others unless the route says so", func(t *testing.T) {
		assert.Equal(t, "/b"+chat+"regional-x", at(t, berlin, "regional-x"))
		p.set(func() { p.down["b"] = 501 })
		assert.Equal(t, "/c"+chat+"regional-x", at(t, berlin, "regional-x"))
		p.set(func() { clear(p.down) })
		a := berlin.chat(t, "abroad", "hi")
		assert.Equal(t, 404, a.status, a.body)
		assert.Equal(t, "model_not_found", a.code())
		assert.Equal(t, "/a"+chat+"abroad-too", at(t, berlin, "abroad-too"))
	})
	t.Run("fallback: the next target, under the same name", func(t *testing.T) {
		for status, want := range map[int]string{429: "b", 500: "b", 503: "b", 400: ""} {
			p.set(func() { p.down["a"] = status })
			a := c.chat(t, "order-x", "hi")
			if want == "" {
				assert.Equal(t, status, a.status)
			} else {
				assert.Equal(t, "/b"+chat+"order-x", a.content(), "%d", status)
			}
		}
		p.set(func() { clear(p.down) })
	})
	t.Run("a model that no provider serves", func(t *testing.T) {
		a := c.chat(t, "nobody-knows", "hi")
		assert.Equal(t, 404, a.status)
		assert.Equal(t, "model_not_found", a.code())
	})
}

// "When set, cost-aware routing picks the cheapest provider meeting it."
func TestTheCheapestTargetWithinTheLimitIsCalled(t *testing.T) {
	p := newPlaces(t)
	g := serveRoutes(t, p)
	c := g.client(testKey)
	first := func(model string) string {
		a := c.chat(t, model, "hi")
		require.Equal(t, 200, a.status, a.body)
		return a.content()[strings.LastIndex(a.content(), " ")+1:]
	}
	for range 3 {
		assert.Equal(t, "gpt-5-nano", first("dear"), "both are fast enough")
	}
	p.set(func() { p.slow["b"] = 2500 * time.Millisecond })
	assert.Equal(t, "gpt-5-nano", first("quick"), "the cheapest, of which nothing is known")
	for range 3 {
		assert.Equal(t, "gpt-5", first("quick"), "the cheapest is too slow")
	}
}

// "Priority tiers (premium, standard, bulk) with concurrency limits."
func TestATierBeginsUpToItsThreshold(t *testing.T) {
	p := newPlaces(t)
	g := serveRoutes(t, p)
	standard, bulk := g.client(testKey), g.client(bulkKey)
	standard.http.Transport, bulk.http.Transport = &http.Transport{}, &http.Transport{}
	var all sync.WaitGroup
	hold := func(c *client) {
		all.Go(func() {
			a, err := c.try("held", "hi")
			if assert.NoError(t, err) {
				assert.Equal(t, 200, a.status, a.body)
			}
		})
		<-p.held
	}
	refused := func(c *client, tier string) {
		a := c.chat(t, "held", "hi")
		assert.Equal(t, 429, a.status, a.body)
		assert.Equal(t, "rate_limit_exceeded", a.code())
		assert.Contains(t, a.body, tier)
		assert.Equal(t, "1", a.header.Get("Retry-After"))
		assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
	}
	hold(bulk)
	refused(bulk, "bulk")
	hold(standard)
	hold(standard)
	refused(standard, "standard")
	close(p.holds)
	all.Wait()
	standard.http.CloseIdleConnections()
	bulk.http.CloseIdleConnections()
}

func TestAModelThatFailsForTheOnlyKeyIsLeftAlone(t *testing.T) {
	p := newPlaces(t)
	s := newSite(t)
	s.write("gateway.yaml", []byte(strings.ReplaceAll(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  a: {prefix: true, type: openai, api_key: k, base_url: "URL/a/v1"}
routing:
  retry: {attempts: 1}
  breaker: {failures: 3, open_for: 1h, max_open: 1h}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
chain: []
`, "URL", p.URL)))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	p.set(func() { p.down["a"] = 500 })
	for range 6 {
		assert.Equal(t, 500, c.chat(t, "a/x", "hi").status)
	}
	assert.Equal(t, 503, c.chat(t, "a/x", "hi").status, "twice as many as with several callers")
	p.set(func() { p.down["a"] = 0 })
	assert.Equal(t, 200, c.chat(t, "a/y", "hi").status)
	c.http.CloseIdleConnections()
}

// "Circuit breaking and health by provider", as reported by /status.
func TestTheHealthOfAProviderIsTold(t *testing.T) {
	p := newPlaces(t)
	s := newSite(t)
	s.write("gateway.yaml", []byte(strings.ReplaceAll(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  a: {prefix: true, type: openai, api_key: k, base_url: "URL/a/v1"}
  b: {prefix: true, type: openai, api_key: k, base_url: "URL/b/v1"}
routing:
  retry: {attempts: 1}
  breaker: {failures: 3, open_for: 1h, max_open: 1h}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}, {name: other, key: `+bulkKey+`, scopes: []}]}
chain: []
`, "URL", p.URL)))
	g := s.serve("--config", "gateway.yaml")
	c, other := g.client(testKey), g.client(bulkKey)
	health := func() map[string]string {
		a, err := c.do("GET", "/status", nil)
		require.NoError(t, err)
		var v struct {
			Providers []struct{ Name, Health string }
		}
		require.NoError(t, json.Unmarshal([]byte(a.body), &v))
		all := map[string]string{}
		for _, p := range v.Providers {
			all[p.Name] = p.Health
		}
		return all
	}
	assert.Equal(t, map[string]string{"a": "unknown", "b": "unknown"}, health())
	p.set(func() { p.down["a"] = 500 })
	for range 3 {
		assert.Equal(t, 500, c.chat(t, "a/x", "hi").status)
	}
	assert.Equal(t, "unknown", health()["a"], "what one key sees may be due to what it sends")
	for range 2 {
		assert.Equal(t, 500, other.chat(t, "a/x", "hi").status)
	}
	assert.Equal(t, 200, c.chat(t, "b/x", "hi").status)
	assert.Equal(t, map[string]string{"a": "unhealthy", "b": "healthy"}, health(), "each by itself")
	a := c.chat(t, "a/x", "hi")
	assert.Equal(t, 503, a.status, "it is left alone")
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	p.set(func() { p.down["a"] = 0 })
	assert.Equal(t, 200, c.chat(t, "a/y", "hi").status)
	assert.Equal(t, "degraded", health()["a"], "one of its models")
	c.http.CloseIdleConnections()
	other.http.CloseIdleConnections()
}

// A provider that is configured for one route, one policy or nothing yet must not be open to every client that guesses its name.
func TestAProviderWithoutARouteIsReachedOnlyWhereItsPrefixIsAllowed(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(strings.Replace(configText("", ""), "providers:\n",
		"providers:\n  spare: {type: mock, models: [spare-model]}\n  lent: {type: mock, prefix: true, models: [lent-model]}\n", 1)))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	listed := func() string {
		a, err := c.do("GET", "/v1/models", nil)
		require.NoError(t, err)
		return a.body
	}
	a := c.chat(t, "spare/mock-echo", "hello")
	assert.Equal(t, 404, a.status, a.body)
	assert.Equal(t, "model_not_found", a.code())
	assert.Equal(t, 404, c.chat(t, "Spare/mock-echo", "hello").status)
	assert.Equal(t, 200, c.chat(t, "lent/mock-echo", "hello").status)
	assert.Equal(t, 200, c.chat(t, "mock/mock-echo", "hello").status, "a route names it")
	assert.Contains(t, listed(), `"lent-model"`)
	assert.NotContains(t, listed(), `"spare-model"`)

	id := g.admin(201, "POST", "/routes", `{"model_pattern":"house","providers":[{"provider":"spare"}]}`)["id"].(string)
	eventually(t, "a stored route names it", func() bool { return c.chat(t, "spare/mock-echo", "hello").status == 200 })
	assert.Contains(t, listed(), `"spare-model"`)
	g.admin(204, "DELETE", "/routes/"+id, "")
	eventually(t, "the route is gone", func() bool { return c.chat(t, "spare/mock-echo", "hello").status == 404 })

	g.activate(`{name: p, rules: [{id: moved, conditions: {model.in: [asked]}, action: ROUTE, params: {model: spare/mock-echo}}, ` +
		`{id: held, conditions: {model.in: [mock-held]}, action: ROUTE, params: {provider: spare}}]}`)
	eventually(t, "a rule leads there", func() bool { return c.chat(t, "asked", "hello").status == 200 })
	assert.Equal(t, 200, c.chat(t, "spare/mock-held", "hello").status, "the client names what the rule chooses")
	assert.Equal(t, 404, c.chat(t, "spare/mock-echo", "hello").status, "the rule does not cover it")
}
