package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

func TestAnOutputSchemaIsMadeReadChangedAndDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{admin.FeatureSchemas: true}
		const body = `{"modelPattern":"gpt-*","schema":{"type":"object","required":["name"]},"maxRetries":2,"correctionPrompt":"Again."}`
		r := a.do("POST", "/admin/v1/schemas", body).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "gpt-*", r.str("modelPattern"))
		assert.Empty(t, r.str("routeId"))
		assert.Equal(t, true, r.field("enabled"))
		assert.Equal(t, []any{"name"}, r.field("schema", "required"))
		assert.Equal(t, r.text, a.do("GET", path, nil).is(200).text)
		list := a.do("GET", "/admin/v1/schemas", nil).is(200)
		assert.True(t, strings.HasPrefix(list.text, "["), "a bare array")
		assert.Equal(t, 1, list.len())
		put := a.do("PUT", path, `{"enabled":false,"routeId":"extraction"}`).is(200)
		assert.Equal(t, false, put.field("enabled"))
		assert.Equal(t, "gpt-*", put.str("modelPattern"))
		a.do("PUT", path, `{"enabled":true}`, "If-Match", r.header.Get("ETag")).requireRefusal(412, "precondition_failed")
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		a.do("PUT", path, `{}`).requireRefusal(404, "not_found")
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")
	})
}

func TestABadOutputSchemaIsRefusedWithItsPlace(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{admin.FeatureSchemas: true}
		said := a.do(
			"POST",
			"/admin/v1/schemas",
			`{"modelPattern":"*","schema":{"properties":{"a":{"type":"strange"}}}}`,
		).requireRefusal(
			400,
			"invalid_value",
		)
		assert.Contains(t, said, "/properties/a/type")
		a.do("POST", "/admin/v1/schemas", `{"schema":{"type":"object"}}`).requireRefusal(400, "invalid_value")
		a.do("POST", "/admin/v1/schemas", `{"modelPattern":"*"}`).requireRefusal(400, "missing_required_parameter")
		for _, body := range []string{`{"modelPattern":"*","schema":[]}`, `{"modelPattern":"*","schema":{"type":"object"},"maxRetries":11}`, `{"modelPattern":5}`} {
			a.do("POST", "/admin/v1/schemas", body).is(400)
		}
		path := a.do("POST", "/admin/v1/schemas", `{"modelPattern":"*","schema":{"type":"object"}}`).is(201).header.Get("Location")
		a.do("PUT", path, `{"schema":{"$ref":"http://example.com/s"}}`).requireRefusal(400, "invalid_value")
		a.do("PUT", path, `{"modelPattern":""}`).requireRefusal(400, "invalid_value")
	})
}

func TestOutputSchemasNeedALicence(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for _, c := range [][2]string{{"POST", ""}, {"GET", ""}, {"GET", "/x"}, {"PUT", "/x"}, {"DELETE", "/x"}} {
			var body any
			if c[0] == "POST" || c[0] == "PUT" {
				body = `{"modelPattern":"*","schema":{"type":"object"}}`
			}
			a.do(c[0], "/admin/v1/schemas"+c[1], body).requireRefusal(400, "OUTPUT_SCHEMAS_NOT_AVAILABLE")
			a.sendAs("viewer@t", c[0], "/admin/v1/schemas"+c[1], body).requireRefusal(403, "FORBIDDEN")
		}
	})
}
