package contract_test

import (
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// readPaths returns the paths of a document, and checks that its two formats agree.
func (t *T) readPaths(name string) (paths m) {
	t.Helper()
	a := t.anybody().get("/v3/api-docs/" + name).is(200)
	o := a.object()
	assert.Regexp(t, `^3\.`, t.text(o, "openapi"))
	paths, _ = o["paths"].(m)
	require.NotEmpty(t, paths)
	y := t.anybody().get("/v3/api-docs/" + name + ".yaml").is(200)
	assert.Contains(t, y.header.Get("Content-Type"), "yaml")
	var same m
	require.NoError(t, yaml.Unmarshal(y.body, &same))
	assert.Equal(t, o["openapi"], same["openapi"])
	both, _ := same["paths"].(m)
	assert.Len(t, both, len(paths))
	for _, op := range operations(t.loadDocument(name)) {
		t.exemplary(op)
	}
	return paths
}

// exemplary requires examples of the bodies and answers of an operation, and specific error answers.
func (t *T) exemplary(op located) {
	t.Helper()
	where := op.method + " " + op.path
	assert.NotEmpty(t, op.OperationID, where)
	assert.NotEmpty(t, op.Summary, where)
	if op.RequestBody != nil {
		for media, body := range op.RequestBody.Value.Content {
			assert.True(
				t,
				body.Example != nil || body.Examples != nil || media == "multipart/form-data",
				"%s takes %s, of which there is no example",
				where,
				media,
			)
		}
	}
	for status, r := range op.Responses.Map() {
		assert.NotEqual(t, "422", status, where)
		for media, body := range r.Value.Content {
			assert.True(
				t,
				body.Example != nil || body.Examples != nil || !strings.Contains(media, "json"),
				"%s answers %s with %s, of which there is no example",
				where,
				status,
				media,
			)
		}
	}
	if assert.NotNil(t, op.Security, where) && len(*op.Security) > 0 {
		assert.NotNil(t, op.Responses.Value("401"), where)
	}
}

var documentRows = rows{
	"version.3": func(t *T) {
		ids := map[string]bool{}
		for _, name := range []string{"public", "internal"} {
			for _, op := range operations(t.loadDocument(name)) {
				assert.Regexp(t, `^[a-z][A-Za-z0-9]+$`, op.OperationID, "%s %s", op.method, op.path)
				assert.False(t, ids[op.OperationID], "two operations are called %s", op.OperationID)
				ids[op.OperationID] = true
			}
		}
		assert.Greater(t, len(ids), 90, "the operations of the contract")
	},
	"site.docs_public": func(t *T) {
		paths := t.readPaths("public")
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
		t.lives()
	},
	"site.docs_internal": func(t *T) {
		paths := t.readPaths("internal")
		assert.Contains(t, paths, configVersion)
		assert.Contains(t, paths, configFull)
		for path := range paths {
			assert.True(t, strings.HasPrefix(path, "/internal/"), path)
		}
	},
}
