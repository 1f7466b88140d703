package contract_test

import (
	"regexp"

	"github.com/stretchr/testify/assert"
)

const (
	configVersion = "/internal/v1/config/version"
	configFull    = "/internal/v1/config/full"
	configBundle  = "/internal/v1/config/bundle"
)

// hashMember matches a member whose name contains hash. Values are left out: one random identifier in thousands contains
// the four letters.
var hashMember = regexp.MustCompile(`(?i)"[^"]*hash[^"]*"\s*:`)

// node returns a client with the secret of the fleet.
func (t *T) node() *client {
	t.Helper()
	return t.client().addHeader("X-Internal-Secret", internalSecret)
}

var internalRows = rows{
	"internal.secret": func(t *T) {
		for _, path := range []string{configVersion, configFull} {
			t.client().get(path).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
			t.client().addHeader("X-Internal-Secret", "another").get(path).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
			t.owner().get(path).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
			assert.InDelta(t, t.version(), t.number(t.node().get(path).is(200).object(), "version"), 0)
		}
	},
	"internal.version": func(t *T) {
		last := t.version()
		for range 3 {
			t.tenant()
			now := t.version()
			assert.Greater(t, now, last)
			last = now
		}
		assert.InDelta(t, float64(int64(last)), last, 0)
	},
	"internal.full": func(t *T) {
		tenant, r := t.tenant(), t.route()
		k := t.key(tenant)
		for _, query := range []string{"", "?since_version=0", "?since_version=999999999"} {
			a := t.node().get(configFull + query).is(200)
			o := a.object()
			assert.Positive(t, t.number(o, "version"))
			of := func(field string) []any { l, _ := o[field].([]any); return l }
			t.requireRecord(of("tenants"), "id", tenant)
			t.requireRecord(of("routes"), "id", t.id(r))
			t.requireRecord(of("api_keys"), "id", t.id(k))
			assert.NotRegexp(t, hashMember, string(a.body))
		}
		t.node().get(configFull+"?since_version=many").requireRefusal(400, "invalid_request_error", "")
	},
	"auth.data.5": func(t *T) {
		assert.InDelta(t, t.version(), t.number(t.node().get(configVersion).is(200).object(), "version"), 0)
		t.bearer(internalSecret).get(configVersion).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"decision.internal_open": func(t *T) {
		t = t.useVariant(unlicensed)
		t.number(t.client().get(configVersion).is(200).object(), "version")
		o := t.client().get(configFull).is(200).object()
		t.fields(o, "version", "tenants", "routes", "api_keys")
		all, _ := o["tenants"].([]any)
		t.requireRecord(all, "id", "default")
	},
	"decision.bundle": func(t *T) {
		t.client().get(configBundle).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		a := t.node().addHeader("X-Headgate-Nonce", "0123456789abcdef0123").get(configBundle).is(200)
		assert.NotEmpty(t, a.body)
		assert.NotContains(t, string(a.body), fileKey)
		assert.NotContains(t, string(a.body), "model_pattern", "a bundle is sealed")
		assert.Contains(t, []int{401, 403, 404}, t.useVariant(unlicensed).client().get(configBundle).status, "a bundle is served only with the secret")
	},
	"admin.config_version": func(t *T) {
		tenant := t.tenant()
		last := t.version()
		advances := func(what string, change func()) {
			t.Helper()
			change()
			now := t.version()
			assert.Greater(t, now, last, what)
			last = now
		}
		var id string
		for _, of := range []struct {
			path       string
			make, edit m
		}{
			{tenants, m{"name": t.name("a")}, m{"region": "eu"}},
			{keysOf(tenant), m{"name": "k"}, nil},
			{routes, m{"model_pattern": t.name("m"), "providers": []m{{"provider": "mock"}}}, m{"strategy": "weighted"}},
			{policies, m{"name": "p", "dsl": denies("x", "no")}, m{"name": "q"}},
			{pricing, m{"model": t.name("m"), "provider": "mock", "inputPricePerMillion": 1, "outputPricePerMillion": 1}, m{"inputPricePerMillion": 2}},
			{budgets, m{"name": "b", "tenantId": tenant, "period": "MONTHLY", "limitUsd": 1}, m{"limitUsd": 2}},
			{guards, m{"name": t.name("g"), "url": "https://guard.example.com", "secret": "a-guard-secret-0123456789"}, m{"timeout_ms": 10}},
		} {
			advances("POST "+of.path, func() { id = t.id(t.owner().post(of.path, of.make).is(201).object()) })
			if of.edit != nil {
				advances("PUT "+of.path, func() { t.owner().put(of.path+"/"+id, of.edit).is(200) })
			}
			advances("DELETE "+of.path, func() { t.owner().delete(of.path + "/" + id).is(204) })
		}
		t.owner().sees(tenants)
		assert.InDelta(t, last, t.version(), 0, "reading changes nothing")
	},
}
