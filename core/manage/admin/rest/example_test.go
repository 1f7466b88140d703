package rest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	licence "github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// docSchema is the part of an OpenAPI schema that says which fields an object has.
type docSchema struct {
	Ref        string               `json:"$ref"`
	Properties map[string]docSchema `json:"properties"`
	Required   []string             `json:"required"`
	Items      *docSchema           `json:"items"`
}

// operationDoc is the part of an operation in the document that the test reads.
type operationDoc struct {
	ID        string `json:"operationId"`
	Responses map[string]struct {
		Content map[string]struct {
			Example any       `json:"example"`
			Schema  docSchema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// examples calls operations and compares their answers with the examples in the document.
type examples struct {
	*api
	paths   map[string]map[string]operationDoc
	schemas map[string]docSchema
	checked map[string]bool
}

// call requires that the answer has the status and the shape of the operation's example. path is below the prefix of the
// API; template is the path of the document.
func (e *examples) call(role, method, template, path string, status int, body any) reply {
	e.t.Helper()
	r := e.sendAs(role, method, "/admin/v1"+path, body).is(status)
	op, ok := e.paths["/admin/v1"+template][strings.ToLower(method)]
	require.True(e.t, ok, "the document lacks %s %s", method, template)
	media, ok := op.Responses[fmt.Sprint(status)].Content["application/json"]
	if !ok {
		return r
	}
	var answer any
	require.NoError(e.t, json.Unmarshal([]byte(r.text), &answer), r.text)
	e.checked[op.ID] = true
	e.compare(op.ID, media.Schema, media.Example, answer)
	return r
}

// compare requires that an answer has the types of an example, no fields beyond it and all fields that the schema requires.
func (e *examples) compare(at string, s docSchema, example, answer any) {
	e.t.Helper()
	if s.Ref != "" {
		s = e.schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	if answer == nil || example == nil {
		return // nullable, or of any shape
	}
	if !assert.IsType(e.t, example, answer, at) {
		return
	}
	switch answer := answer.(type) {
	case map[string]any:
		if len(s.Properties) == 0 {
			return // a map with free keys
		}
		example := example.(map[string]any)
		for name, v := range answer {
			if assert.Contains(e.t, example, name, "the example of "+at) {
				e.compare(at+"."+name, s.Properties[name], example[name], v)
			}
		}
		for _, name := range s.Required {
			assert.Contains(e.t, answer, name, at)
		}
	case []any:
		example := example.([]any)
		for i, v := range answer {
			if assert.NotEmpty(e.t, example, "the example of "+at) && s.Items != nil {
				e.compare(fmt.Sprintf("%s[%d]", at, i), *s.Items, example[0], v)
			}
		}
	}
}

// create stores a record and returns its id.
func (e *examples) create(path string, body any) string {
	e.t.Helper()
	return e.call("owner", "POST", path, path, 201, body).str("id")
}

func TestExamplesHaveTheShapeOfRealAnswers(t *testing.T) {
	e := &examples{api: newAPI(t, storetest.Open(t, storetest.CreateSQLite(t))), checked: map[string]bool{}}
	text, err := e.mounted.Text()
	require.NoError(t, err)
	var doc struct {
		Paths      map[string]map[string]operationDoc
		Components struct{ Schemas map[string]docSchema }
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	e.paths, e.schemas = doc.Paths, doc.Components.Schemas
	for _, name := range []string{"CorePolicyResult", "CorePolicySaid", "CorePolicyIssue", "RouteLatencyRecord", "MeterSummary"} {
		assert.Contains(t, e.schemas, name, "generated clients know the schemas by name, wherever their types are")
	}
	e.license.features = map[string]bool{
		licence.Latency:    true,
		licence.Priority:   true,
		licence.Chargeback: true,
		licence.Reports:    true,
		licence.Detokenize: true,
		licence.Schemas:    true,
	}

	tenant := e.create("/tenants", `{"name":"Research","region":"eu-central","tags":["a"]}`)
	user := e.create("/users", `{"email":"ada@example.com","name":"Ada","roles":["owner"],"password":"`+password+`"}`)
	key := e.call(
		"owner",
		"POST",
		"/tenants/{id}/keys",
		"/tenants/"+tenant+"/keys",
		201,
		`{"name":"ci","expires_at":"2027-01-01T00:00:00Z"}`,
	).str(
		"id",
	)
	member := e.call(
		"owner",
		"POST",
		"/tenants/{id}/members",
		"/tenants/"+tenant+"/members",
		201,
		`{"email":"eve@example.com","name":"Eve","roles":["viewer"]}`,
	).str(
		"id",
	)
	pat := e.call("owner@@"+user, "POST", "/pats", "/pats", 201, `{"name":"deploy","expires_at":"2026-11-23T00:00:00Z"}`).str("id")
	e.spend(tenant, key, "openai", "gpt-4o", start, 10_000_000_000, 20_000_000_001)
	records := map[string]string{ // ids by the beginning of a path
		"/tenants/{id}":  tenant,
		"/users/{id}":    user,
		"/pats/{id}":     pat,
		"/routes/{id}":   e.create("/routes", `{"model_pattern":"gpt-*","providers":[{"provider":"mock","weight":2}]}`),
		"/policies/{id}": e.create("/policies", fmt.Sprintf(`{"name":"deny","dsl":%q}`, denies)),
		"/pricing/{id}": e.create(
			"/pricing",
			`{"model":"gpt-4o*","provider":"openai","inputPricePerMillion":2.5,"outputPricePerMillion":10}`,
		),
		"/budgets/{id}":           e.create("/budgets", `{"name":"monthly","limitUsd":100,"tenantId":"`+tenant+`"}`),
		"/schemas/{id}":           e.create("/schemas", `{"modelPattern":"gpt-*","schema":{"type":"object"}}`),
		"/guardrail-plugins/{id}": e.create("/guardrail-plugins", plug("words")),
		"/webhooks/{id}": e.create(
			"/webhooks",
			`{"name":"w","url":"https://example.com","event_types":["POLICY_DENIAL"],"secret":"0123456789abcdef"}`,
		),
		"/chargeback/{id}": e.create("/chargeback", `{"from":"2026-11-01","to":"2026-12-01"}`),
		"/reports/{id}":    e.create("/reports", `{"type":"SOC2","from":"2026-11-01","to":"2026-12-01"}`),
		"/approvals/{id}":  e.create("/approvals", `{"format":"json","reason":"yearly audit"}`),
		"/providers/{id}":  "mock",
		"/agents/{id}": e.call(
			"owner", "POST", "/agents", "/agents", 201, `{"name":"planner","url":"https://planner.example.com","enabled":false}`,
		).str("name"),
	}
	e.tools.offer("search", "find", "find", "find ~/.ssh")
	e.call("owner", "POST", "/mcp-servers", "/mcp-servers", 201, `{"name":"web","url":"https://mcp.example.com/","enabled":false}`)
	records["/virtual-servers/{id}"] = e.call(
		"owner", "POST", "/virtual-servers", "/virtual-servers", 201, `{"name":"team","servers":[{"server":"web"},{"server":"search"}]}`,
	).str("name")
	e.plane.folder = map[string]string{"card-check.wasm": strings.Repeat("ab", 32)}
	for _, o := range e.mounted.Operations {
		if o.Method != "GET" || o.Content != "" {
			continue
		}
		path := o.Path
		for begin, id := range records {
			if rest, ok := strings.CutPrefix(path, begin); ok {
				path = strings.ReplaceAll(begin, "{id}", id) + rest
			}
		}
		path = strings.NewReplacer("{keyId}", key, "{userId}", member, "{file}", "card-check.wasm", "{name}", "search", "{tool}", "find").Replace(path)
		role := "owner"
		if strings.HasPrefix(o.Path, "/pats") {
			role = "owner@@" + user
		}
		require.NotRegexp(t, `[{}]`, path, "name a stored record for %s", o.ID)
		e.call(role, "GET", o.Path, path, 200, nil)
	}
	assert.Greater(t, len(e.checked), 50)
}
