package contract_test

import (
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// described gives the paths of a document, and checks that its two forms say the same.
func (t *T) described(name string) (paths m) {
	t.Helper()
	a := t.client().get("/v3/api-docs/" + name).is(200)
	o := a.object()
	assert.Regexp(t, `^3\.`, t.text(o, "openapi"))
	paths, _ = o["paths"].(m)
	require.NotEmpty(t, paths)
	y := t.client().get("/v3/api-docs/" + name + ".yaml").is(200)
	assert.Contains(t, y.header.Get("Content-Type"), "yaml")
	var same m
	require.NoError(t, yaml.Unmarshal(y.body, &same))
	assert.Equal(t, o["openapi"], same["openapi"])
	both, _ := same["paths"].(m)
	assert.Len(t, both, len(paths))
	return paths
}

var documentRows = rows{
	"site.docs_public": func(t *T) {
		paths := t.described("public")
		for _, path := range []string{
			"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models", "/v1/budget/estimate", "/v1/messages", "/v1/messages/count_tokens",
			"/v1/responses", "/v1/ide/models", "/v1/ide/chat/completions", "/status", tenants, routes, policies, pricing, costs, budgets, chargeback,
			schemas, audits, reports, webhooks, "/admin/v1/latency", "/admin/v1/priority/stats",
		} {
			assert.Contains(t, paths, path)
		}
		for path := range paths {
			assert.False(t, strings.HasPrefix(path, "/internal"), path)
		}
	},
	"site.docs_internal": func(t *T) {
		paths := t.described("internal")
		assert.Contains(t, paths, configVersion)
		assert.Contains(t, paths, configFull)
		for path := range paths {
			assert.True(t, strings.HasPrefix(path, "/internal/"), path)
		}
	},
}
