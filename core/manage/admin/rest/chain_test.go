package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheChainIsArrangedAndPutBack(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("GET", "/admin/v1/chain", nil).is(200)
		assert.Equal(t, "file", r.str("source"))
		require.Equal(t, 3, r.len("links"))
		assert.Equal(t, "policy", r.str("links", 0, "name"))
		old := r.header.Get("ETag")

		const body = `{"links":[{"name":"pii"},{"name":"policy","mode":"shadow"},{"name":"answers"}]}`
		dry := a.do("PUT", "/admin/v1/chain?dry_run=true", body).is(200)
		assert.Equal(t, "pii", dry.str("links", 0, "name"))
		assert.Equal(t, "file", a.do("GET", "/admin/v1/chain", nil).is(200).str("source"), "a dry run changes nothing")

		r = a.do("PUT", "/admin/v1/chain", body, "If-Match", old).is(200)
		assert.Equal(t, "layout", r.str("source"))
		assert.Equal(t, json.Number("1"), r.field("version"))
		assert.Equal(t, "shadow", r.str("links", 1, "mode"))
		assert.JSONEq(t, r.text, a.do("GET", "/admin/v1/chain", nil).is(200).text)
		a.do("PUT", "/admin/v1/chain", body, "If-Match", old).requireRefusal(412, "precondition_failed")

		assert.Contains(
			t,
			a.do("PUT", "/admin/v1/chain", `{"links":[{"name":"answers"},{"name":"pii"}]}`).requireRefusal(400, "invalid_value"),
			"cache",
			"an order that leaks is refused",
		)
		for name, bad := range map[string]string{
			"an unknown link": `{"links":[{"name":"nothing"}]}`,
			"a link twice":    `{"links":[{"name":"pii"},{"name":"pii"}]}`,
			"an unknown mode": `{"links":[{"name":"pii","mode":"off"}]}`,
			"no links":        `{"links":[]}`,
		} {
			t.Log(name)
			a.do("PUT", "/admin/v1/chain", bad).requireRefusal(400, "invalid_value")
		}
		a.do("DELETE", "/admin/v1/chain", nil).is(204)
		r = a.do("GET", "/admin/v1/chain", nil).is(200)
		assert.Equal(t, "file", r.str("source"))
		assert.Equal(t, "policy", r.str("links", 0, "name"))
		a.sendAs("policy-admin", "GET", "/admin/v1/chain", nil).is(200)
		a.sendAs("viewer@t", "GET", "/admin/v1/chain", nil).requireRefusal(403, "FORBIDDEN")
		assert.Contains(t, a.events(""), "CONFIG_CHANGED")
	})
}
