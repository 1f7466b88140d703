package proxy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/audit"
)

func (g *gate) models(key string) answer {
	r := g.request(key, nil)
	r.Method, r.URL.Path = http.MethodGet, "/v1/models"
	return g.do(r)
}

func TestModelsAreListedWithTheirCapabilities(t *testing.T) {
	g := open(t, setup{})
	a := g.models("models")
	require.Equal(t, 200, a.status)
	assert.Regexp(t, "^[0-9a-f]{32}$", a.header.Get("X-Trace-Id"))
	var list struct {
		Object string
		Data   []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &list))
	assert.Equal(t, "list", list.Object)
	var ids []string
	var mock map[string]any
	for _, m := range list.Data {
		if id := m["id"].(string); strings.HasPrefix(id, "mock-") || strings.Contains(id, "test") || strings.ContainsAny(id, "*?") {
			ids = append(ids, id) // not of the catalogue
		}
		if m["id"] == "mock-echo" {
			mock = m
		}
	}
	assert.Equal(t, []string{"gpt-test", "mock-echo", "mock-error-429", "mock-error-500", "mock-tools"}, ids, "patterns are no models")
	assert.Equal(t, map[string]any{
		"id": "mock-echo", "object": "model", "created": 1700000000.0, "owned_by": "mock",
		"capabilities": map[string]any{
			"supports_streaming": true, "supports_vision": true, "supports_tool_calls": true,
			"supports_structured_outputs": true, "supports_json_mode": true, "max_context_tokens": 0.0,
		},
	}, mock)
}

// windowed is a provider that knows the context window of one model.
type windowed struct{ route.Provider }

func (w windowed) FindCapabilities(model string) route.Capabilities {
	c := w.Provider.FindCapabilities(model)
	if model == "gpt-test" {
		c.MaxContextTokens = 128000
	}
	return c
}

func TestTheModelListHasEachModelsOwnWindow(t *testing.T) {
	g := open(t, setup{provider: windowed{openAI(t, "openai", "", nil, noTimeouts)}})
	var list struct {
		Data []struct {
			ID           string
			Capabilities map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(g.models("models").body), &list))
	windows := map[string]any{}
	for _, m := range list.Data {
		if windows[m.ID] = m.Capabilities["max_context_tokens"]; !strings.HasPrefix(m.ID, "mock-") && m.ID != "gpt-test" {
			delete(windows, m.ID) // of the catalogue
		}
	}
	assert.Equal(
		t,
		map[string]any{"gpt-test": 128000.0, "mock-echo": 0.0, "mock-error-429": 0.0, "mock-error-500": 0.0, "mock-tools": 0.0},
		windows,
	)
}

func TestAKeyWithModelsListsOnlyThose(t *testing.T) {
	g := open(t, setup{})
	a := g.models("limited")
	assert.Equal(t, 200, a.status)
	assert.NotContains(t, a.body, "mock-echo", "its pattern is allowed-*")
	assert.Contains(t, g.models("dev").body, "mock-echo")
}

func TestTheModelListAsksForAKeyWithItsScope(t *testing.T) {
	for _, c := range []struct {
		name, key string
		status    int
		code      string
	}{
		{"an unrestricted key lists", "dev", 200, ""},
		{"a key of a suspended tenant lists", "suspended", 200, ""},
		{"a key for completions does not", "chat", 403, "FORBIDDEN"},
		{"an anonymous client does not", "", 401, "UNAUTHORIZED"},
		{"a personal access token does not", "headgate_pat_x", 401, "UNAUTHORIZED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := open(t, setup{})
			a := g.models(c.key)
			assert.Equal(t, c.status, a.status)
			if c.code != "" {
				e := errorOf(t, a)
				assert.Equal(t, c.code, e["code"])
				if c.status == 403 {
					assert.Contains(t, e["message"], "models:read")
				}
			}
			if c.status == 401 {
				require.Eventually(t, func() bool { return len(g.records()) == 1 }, generous, 5*time.Millisecond)
				assert.Equal(t, audit.AuthFailure, g.records()[0].kind)
			}
			assert.Eventually(t, func() bool { // the line is written when the client has its answer
				return strings.Contains(g.lines.String(), `"shape":"openai.models"`)
			}, generous, 5*time.Millisecond, "every request has a log line")
		})
	}
}
