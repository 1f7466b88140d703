package contract_test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// capable requires the members of a provider's capabilities.
func (t *T) capable(o m) {
	t.Helper()
	for _, field := range []string{"supports_streaming", "supports_vision", "supports_tool_calls", "supports_structured_outputs", "supports_json_mode"} {
		require.IsType(t, true, o[field], field)
	}
	t.number(o, "max_context_tokens")
}

// checkStatus requires the members of the status document.
func (t *T) checkStatus(o m) {
	t.Helper()
	for _, field := range []string{"status", "mode", "version"} {
		t.text(o, field)
	}
	assert.GreaterOrEqual(t, t.number(o, "uptimeSeconds"), 0.0)
	assert.Positive(t, t.number(o, "configVersion"))
	providers, _ := o["providers"].([]any)
	mock := t.requireRecord(providers, "name", "mock")
	t.text(mock, "type")
	t.text(mock, "health")
	capabilities, _ := mock["capabilities"].(m)
	t.fields(capabilities, "streaming", "vision", "toolCalls", "structuredOutputs", "jsonMode", "maxContextTokens")
	assert.IsType(t, []any{}, o["routes"])
	assert.IsType(t, []any{}, o["warnings"])
	region, _ := o["region"].(m)
	t.fields(region, "id", "name", "regionAware")
	limits, _ := o["rateLimits"].(m)
	t.fields(limits, "enabled", "globalRequestsPerSecond", "defaultPerKeyRequestsPerSecond", "defaultPerKeyTokensPerMinute")
}

// console returns a client with the actuator's key.
func (t *T) console() *client { t.Helper(); return t.bearer(actuatorKey) }

var siteRows = rows{
	"site.root": func(t *T) { assert.Equal(t, "/try", t.client().get("/").is(302).header.Get("Location")) },
	"site.try": func(t *T) {
		assert.True(t, strings.HasPrefix(t.client().get("/try").is(200).header.Get("Content-Type"), "text/html"))
	},
	"site.status": func(t *T) { t.checkStatus(t.anybody().get("/status").is(200).object()) },
	"site.gateway_status": func(t *T) {
		t.checkStatus(t.console().get("/actuator/gateway-status").is(200).object())
		for _, c := range []*client{t.client(), t.bearer("another"), t.owner(), t.anybody()} {
			c.get("/actuator/gateway-status").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		}
	},
	"site.license": func(t *T) {
		o := t.console().get("/actuator/license").is(200).object()
		assert.Equal(t, "PRODUCTION", o["posture"])
		assert.Equal(t, "VALID", o["status"])
		for _, c := range []*client{t.client(), t.bearer("another"), t.owner()} {
			c.get("/actuator/license").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		}
	},
	"status.fields": func(t *T) { t.checkStatus(t.anybody().get("/status").is(200).object()) },
	"auth.data.4": func(t *T) {
		assert.Equal(t, "VALID", t.console().get("/actuator/license").is(200).object()["status"])
		t.client().get("/actuator/license").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"decision.actuator_closed": func(t *T) {
		t = t.useVariant(unlicensed)
		for _, token := range []string{"", actuatorKey, ownerToken} {
			t.bearer(token).get("/actuator/gateway-status").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		}
	},
	"limit.status_rate_limits": func(t *T) {
		limits, _ := t.anybody().get("/status").is(200).object()["rateLimits"].(m)
		assert.Equal(t, false, limits["enabled"])
		for _, field := range []string{"globalRequestsPerSecond", "defaultPerKeyRequestsPerSecond", "defaultPerKeyTokensPerMinute"} {
			t.number(limits, field)
		}
	},
	"version.1": func(t *T) {
		t.owner().get("/v1/admin/tenants").requireRefusal(404, "not_found_error", "")
		t.owner().post("/v1/admin/tenants", m{"name": "x"}).requireRefusal(404, "not_found_error", "")
		t.owner().sees(tenants)
	},
	"version.2": func(t *T) {
		o := t.anybody().get("/status").is(200).object()
		t.text(o, "version")
		before := t.version()
		t.route()
		t.eventually("the version in force advances", func() bool {
			now, _ := t.anybody().get("/status").is(200).object()["configVersion"].(float64)
			return now > before && now == t.version()
		})
	},
	"license.fields": func(t *T) {
		o := t.owner().get("/admin/v1/license").is(200).object()
		assert.Equal(t, "Contract", o["licensee"])
		assert.Equal(t, "PRODUCTION", o["type"])
		assert.WithinDuration(t, time.Now().Add(365*24*time.Hour), t.time(o, "expiresAt"), time.Hour)
		assert.Equal(t, "VALID", o["status"])
		assert.Equal(t, "PRODUCTION", o["posture"])
		o = t.useVariant(unlicensed).owner().get("/admin/v1/license").is(200).object()
		assert.Equal(t, "DEVELOPMENT", o["posture"])
		assert.Empty(t, o["licensee"])
	},
}

var licenseRows = rows{
	"limit.governed_calls": func(t *T) {
		t = t.useVariant(unlicensed)
		count := func() float64 {
			calls, _ := t.owner().get("/admin/v1/license").is(200).object()["governedCalls"].(m)
			assert.EqualValues(t, 100000, calls["limit"])
			return t.number(calls, "count")
		}
		before := count()
		t.anybody().chat("mock-echo", "hello")
		t.eventually("the call is counted", func() bool { return count() > before })
	},
	"decision.license_rest": func(t *T) {
		t.createRoleClient("policy-admin", "").put("/admin/v1/license", m{"license": "x"}).requireRefusal(403, "authorization_error", "FORBIDDEN")
		t.owner().put("/admin/v1/license", m{"license": "x"}).requireRefusal(400, "invalid_request_error", "")
		// The licence that the owner set before the rows began is still in force.
		o := t.owner().get("/admin/v1/license").is(200).object()
		assert.Equal(t, "Contract", o["licensee"])
		assert.Equal(t, "VALID", o["status"])
	},
	"decision.monthly_usage": func(t *T) {
		t.anybody().chat("mock-echo", "hello")
		month := time.Now().UTC().Format("2006-01")
		t.eventually("the month has calls", func() bool {
			o := t.owner().get("/admin/v1/usage/monthly").is(200).object()
			assert.Contains(t, []string{month, time.Now().UTC().Format("2006-01")}, o["month"])
			return t.number(o, "governed_calls") > 0
		})
	},
	"decision.approvals": func(t *T) {
		const approvals = "/admin/v1/approvals"
		who := t.createRoleClient("owner", "")
		o := who.post(approvals, m{"format": "json", "reason": t.name("audit")}).is(201).object()
		path := approvals + "/" + t.id(o)
		assert.Equal(t, "PENDING", t.requireRecord(t.owner().get(approvals+"?status=PENDING").is(200).list(), "id", t.id(o))["status"])
		who.post(path+"/approve", nil).requireRefusal(403, "authorization_error", "APPROVER_IS_REQUESTER")
		assert.Equal(t, "PENDING", t.owner().get(path).is(200).object()["status"])
		assert.Equal(t, "APPROVED", t.createRoleClient("policy-admin", "").post(path+"/approve", nil).is(200).object()["status"])
		assert.Equal(t, "APPROVED", t.owner().get(path).is(200).object()["status"])
	},
	"decision.plugins_rest": func(t *T) {
		t.owner().get("/admin/v1/plugins").is(200).list()
		o := t.owner().get("/admin/v1/chain").is(200).object()
		links, _ := o["links"].([]any)
		for _, link := range []string{"policy", "budget", "pii"} {
			t.requireRecord(links, "name", link)
		}
	},
	"decision.gitops": func(t *T) {
		file := t.owner().get("/admin/v1/config/export").is(200)
		require.Contains(t, string(file.body), "mock-echo")
		require.Contains(t, t.command("config", "export", "--config", "gateway.yaml"), "tenants:")
	},
}

var providerRows = rows{
	"admin.providers.capabilities": func(t *T) {
		o := t.owner().get("/admin/v1/providers/openai/capabilities").is(200).object()
		t.capable(o)
		assert.Equal(t, true, o["supports_tool_calls"])
		t.owner().get("/admin/v1/providers/nobody/capabilities").requireRefusal(404, "not_found_error", "")
		t.owner().get("/admin/v1/providers/OpenAI/capabilities").requireRefusal(404, "not_found_error", "")
	},
	"provider.capabilities": func(t *T) {
		o := t.owner().get("/admin/v1/providers/mock/capabilities").is(200).object()
		t.capable(o)
		assert.Equal(t, true, o["supports_streaming"])
	},
	"decision.all_providers": func(t *T) {
		for _, id := range []string{
			"openai", "azure-openai", "anthropic", "gemini", "bedrock", "xai", "mistral", "deepseek", "moonshot", "zhipu", "cohere", "groq", "qwen", "ollama", "mock",
		} {
			t.capable(t.owner().get("/admin/v1/providers/" + id + "/capabilities").is(200).object())
		}
		o := t.owner().get("/admin/v1/providers/mock/capabilities").is(200).object()
		for _, field := range []string{"supports_streaming", "supports_vision", "supports_tool_calls", "supports_structured_outputs", "supports_json_mode"} {
			assert.Equal(t, true, o[field], field)
		}
	},
	"admin.latency": func(t *T) {
		c := t.caller(t.tenant())
		t.eventually("the latency of the mock is known", func() bool {
			c.chat("mock-echo", "hello")
			return find(t.owner().get("/admin/v1/latency").is(200).list(), "provider", "mock") != nil
		})
	},
	"latency.fields": func(t *T) {
		c := t.caller(t.tenant())
		t.eventually("the latency of the mock is known", func() bool {
			c.addHeader("X-Cache-Control", "no-cache").chat("mock-echo", "hello")
			return find(t.owner().get("/admin/v1/latency").is(200).list(), "provider", "mock") != nil
		})
		o := t.requireRecord(t.owner().get("/admin/v1/latency").is(200).list(), "provider", "mock")
		t.text(o, "model")
		t.number(o, "ewmaLatencyMs")
		t.number(o, "rawLatencyMs")
		assert.Positive(t, t.number(o, "sampleCount"))
		t.time(o, "lastUpdated")
	},
	"unlicensed.latency": func(t *T) {
		t = t.useVariant(unlicensed)
		t.anybody().chat("mock-echo", "hello")
		assert.Empty(t, t.owner().get("/admin/v1/latency").is(200).list())
	},
	"admin.priority": func(t *T) {
		o := t.owner().get("/admin/v1/priority/stats").is(200).object()
		assert.Equal(t, "priority_stats", o["object"])
		data, _ := o["data"].(m)
		assert.EqualValues(t, 0, data["currentConcurrent"], "nothing is being served")
	},
	"priority.fields": func(t *T) {
		o, _ := t.owner().get("/admin/v1/priority/stats").is(200).object()["data"].(m)
		t.number(o, "currentConcurrent")
		t.number(o, "maxConcurrent")
		for _, field := range []string{"perTierConcurrent", "perTierThresholdPct"} {
			by, _ := o[field].(m)
			for _, tier := range []string{"premium", "standard", "bulk"} {
				t.number(by, tier)
			}
		}
		o, _ = t.useVariant(unlicensed).owner().get("/admin/v1/priority/stats").is(200).object()["data"].(m)
		assert.EqualValues(t, 0, o["maxConcurrent"])
	},
}
