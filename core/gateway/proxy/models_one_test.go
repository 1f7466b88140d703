package proxy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
)

// listed is a model in OpenAI's format.
type listed struct {
	ID            string
	Object        string
	OwnedBy       string `json:"owned_by"`
	ContextLength int    `json:"context_length"`
	Pricing       map[string]string
}

func (g *gate) read(t *testing.T, path string, header ...string) answer {
	t.Helper()
	r := g.request("dev", nil, header...)
	r.Method, r.URL.Path = http.MethodGet, path
	return g.do(r)
}

func TestTheModelsOfTheCatalogueAreListedForAProviderWithAKey(t *testing.T) {
	g := open(t, setup{targets: []route.Provider{newProvider(t, "anthropic", "http://127.0.0.1:1"), newProvider(t, "azure-openai", "http://127.0.0.1:1")}})
	var list struct{ Data []listed }
	require.NoError(t, json.Unmarshal([]byte(g.read(t, "/v1/models").body), &list))
	owners := map[string]string{}
	for _, m := range list.Data {
		assert.NotContains(t, owners, m.ID, "each is listed once")
		owners[m.ID] = m.OwnedBy
		if m.ID == "gpt-4o" {
			assert.Equal(t, 128000, m.ContextLength)
		}
	}
	assert.Equal(t, "openai", owners["gpt-4o"])
	assert.Equal(t, "anthropic", owners["claude-sonnet-4-5"])
	assert.NotContains(t, owners, "azure-openai/gpt-4o", "deployments have their own names")
	var messages struct {
		Data []struct {
			ID    string
			Limit int `json:"max_input_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(g.read(t, "/v1/models", "Anthropic-Version", "2023-06-01").body), &messages))
	require.NotEmpty(t, messages.Data)
	for _, m := range messages.Data {
		assert.True(t, m.ID == "many" || strings.HasPrefix(m.ID, "claude-"), m.ID)
	}
}

func TestOneModelIsDescribedInEachForm(t *testing.T) {
	g := open(t, setup{targets: []route.Provider{newProvider(t, "anthropic", "http://127.0.0.1:1")}})
	for _, path := range []string{"/v1/models/gpt-4o", "/v1/ide/models/gpt-4o", "/v1/models/openai/gpt-4o"} {
		a := g.read(t, path)
		require.Equal(t, 200, a.status, a.body)
		var m listed
		require.NoError(t, json.Unmarshal([]byte(a.body), &m))
		assert.Equal(t, "model", m.Object)
		assert.Contains(t, path, m.ID)
		assert.Equal(t, "openai", m.OwnedBy)
	}
	for _, path := range []string{"/v1/models/claude-sonnet-4-5", "/anthropic/v1/models/claude-sonnet-4-5"} {
		a := g.read(t, path, "Anthropic-Version", "2023-06-01")
		require.Equal(t, 200, a.status, a.body)
		assert.Contains(t, a.body, `{"type":"model","id":"claude-sonnet-4-5","display_name":"claude-sonnet-4-5","created_at":"`)
	}
	for path, header := range map[string][]string{"/v1beta/models/gpt-4o": nil, "/v1/gen/v1beta/models/gpt-4o": nil, "/v1/models/gpt-4o": {"X-Goog-Api-Key", g.key["dev"]}} {
		a := g.read(t, path, header...)
		require.Equal(t, 200, a.status, a.body)
		assert.Contains(t, a.body, `{"name":"models/gpt-4o",`)
	}
	a := g.read(t, "/v1/models/none")
	assert.Equal(t, 404, a.status)
	assert.Equal(t, "model_not_found", errorOf(t, a)["code"])
	a = g.read(t, "/v1/models/gpt-4o", "Anthropic-Version", "2023-06-01")
	assert.Equal(t, 404, a.status, "another provider's")
	assert.Contains(t, a.body, `"type":"not_found_error"`)
	r := g.request("chat", nil)
	r.Method, r.URL.Path = http.MethodGet, "/v1/models/gpt-4o"
	assert.Equal(t, 403, g.do(r).status)
}
