package contract_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	webhooks = "/admin/v1/webhooks"
	guards   = "/admin/v1/guardrail-plugins"
)

// receiver is a server that keeps the requests that it receives.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []m
	header []http.Header
	reply  http.HandlerFunc
}

func newReceiver(reply http.HandlerFunc) *receiver {
	r := &receiver{reply: reply}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		text, _ := io.ReadAll(in.Body) // a truncated body is not JSON
		var o m
		_ = json.Unmarshal(text, &o) // a body that is not an object is kept as nil
		r.mu.Lock()
		r.got, r.header = append(r.got, o), append(r.header, in.Header.Clone())
		r.mu.Unlock()
		if r.reply != nil {
			r.reply(w, in)
		}
	}))
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// subscribe creates a webhook of a tenant.
func (t *T) subscribe(url, tenant string, types ...string) m {
	t.Helper()
	defer t.honest()()
	return t.owner().post(
		webhooks,
		m{"name": t.name("hook"), "url": url, "secret": "a-signing-secret-0123456789", "event_types": types, "tenant_id": tenant},
	).is(
		201,
	).object()
}

var webhookRows = rows{
	"admin.webhooks.create": func(t *T) {
		o := t.subscribe("https://hooks.example.com/a", t.tenant(), "POLICY_DENIAL", "PII_DETECTED")
		t.id(o)
		assert.Equal(t, "https://hooks.example.com/a", o["url"])
		t.owner().post(
			webhooks,
			m{"name": "x", "url": "not a url", "secret": "0123456789abcdef", "event_types": []string{"POLICY_DENIAL"}},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
		t.owner().post(
			webhooks,
			m{"name": "x", "url": "https://hooks.example.com", "secret": "0123456789abcdef", "event_types": []string{"NO_SUCH"}},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
		t.useVariant(
			unlicensed,
		).owner().post(
			webhooks,
			m{"name": "x", "url": "http://169.254.169.254/latest", "secret": "0123456789abcdef", "event_types": []string{"POLICY_DENIAL"}},
		).requireRefusal(
			400,
			"invalid_request_error",
			"",
		)
	},
	"webhook.fields": func(t *T) {
		tenant := t.tenant()
		made := t.subscribe("https://hooks.example.com/a", tenant, "POLICY_DENIAL")
		a := t.owner().get(webhooks + "/" + t.id(made)).is(200)
		o := a.object()
		assert.Equal(t, "https://hooks.example.com/a", o["url"])
		assert.Equal(t, []any{"POLICY_DENIAL"}, o["event_types"])
		assert.Equal(t, tenant, o["tenant_id"])
		t.text(o, "name")
		assert.NotContains(t, string(a.body), "a-signing-secret")
		assert.NotContains(t, o, "secret")
	},
	"decision.webhooks_rest": func(t *T) {
		tenant := t.tenant()
		made := t.subscribe("https://hooks.example.com/a", tenant, "POLICY_DENIAL")
		path := webhooks + "/" + t.id(made)
		t.requireRecord(t.owner().get(webhooks).is(200).list(), "id", t.id(made))
		o := t.owner().put(path, m{"url": "https://hooks.example.com/b"}).is(200).object()
		assert.Equal(t, "https://hooks.example.com/b", o["url"])
		t.requireSame(made, o, "id", "name", "event_types")
		t.createRoleClient("policy-admin", "").get(webhooks).requireRefusal(403, "authorization_error", "FORBIDDEN")
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
		t.owner().put(path, m{"name": "x"}).requireRefusal(404, "not_found_error", "")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "")
		t.owner().post(path+"/test", nil).requireRefusal(404, "not_found_error", "")
	},
	"event.webhook": func(t *T) {
		r := newReceiver(nil)
		defer r.Close()
		tenant := t.tenant()
		t.subscribe(r.URL, tenant, "POLICY_DENIAL")
		c := t.caller(tenant)
		t.becomes(t.policy(tenant, denies("mock-echo", "no")), "ACTIVE")
		t.eventually("a denial is delivered", func() bool {
			c.post("/v1/chat/completions", buildChat("mock-echo", "hi"))
			return r.count() > 0
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		text, err := json.Marshal(r.got[0])
		require.NoError(t, err)
		assert.Contains(t, string(text), "POLICY_DENIAL")
		assert.Contains(t, string(text), tenant)
	},
}

// guard creates a guardrail plugin.
func (t *T) guard(url, tenant string) m {
	t.Helper()
	defer t.honest()()
	body := m{"name": t.name("guard"), "url": url, "secret": "a-guard-secret-0123456789"}
	if tenant != "" {
		body["tenant_id"] = tenant
	}
	return t.owner().post(guards, body).is(201).object()
}

var pluginRows = rows{
	"guardrail_plugin.fields": func(t *T) {
		tenant := t.tenant()
		made := t.guard("https://guard.example.com/check", tenant)
		a := t.owner().get(guards + "/" + t.id(made)).is(200)
		o := a.object()
		for field, want := range (m{"url": "https://guard.example.com/check", "tenant_id": tenant, "timeout_ms": 5000.0}) {
			assert.Equal(t, want, o[field], field)
		}
		t.fields(o, "name", "fail_mode", "status")
		t.time(o, "updated_at")
		assert.NotContains(t, string(a.body), "a-guard-secret")
		t.owner().post(guards, m{"name": o["name"], "url": "https://guard.example.com", "secret": "0123456789abcdef0123"}).requireRefusal(409, "", "")
	},
	"state.guardrail_plugin": func(t *T) {
		path := guards + "/" + t.id(t.guard("https://guard.example.com/check", t.tenant()))
		status := func() any { return t.owner().get(path).is(200).object()["status"] }
		assert.Equal(t, "Enabled", status())
		t.owner().put(path, m{"enabled": false}).is(200)
		assert.Equal(t, "Disabled", status())
		t.owner().put(path, m{"enabled": true}).is(200)
		assert.Equal(t, "Enabled", status())
		t.owner().put(path, m{"enabled": "sometimes"}).requireRefusal(400, "invalid_request_error", "")
	},
	"decision.fail_closed": func(t *T) {
		assert.Equal(t, "CLOSED", t.guard("https://guard.example.com/check", t.tenant())["fail_mode"])
	},
	"limit.guardrail_timeout": func(t *T) {
		assert.EqualValues(t, 5000, t.guard("https://guard.example.com/check", t.tenant())["timeout_ms"])
	},
	"decision.guardrail_rest": func(t *T) {
		made := t.guard("https://guard.example.com/check", t.tenant())
		path := guards + "/" + t.id(made)
		t.requireRecord(t.owner().get(guards).is(200).list(), "id", t.id(made))
		t.createRoleClient("policy-admin", "").put(path, m{"timeout_ms": 900}).is(200)
		t.createRoleClient("policy-admin", "").post(path+"/rotate", m{"secret": "another-secret-0123456789"}).requireRefusal(403, "authorization_error", "FORBIDDEN")
		t.owner().post(path+"/rotate", m{"secret": "another-secret-0123456789"}).is(200)
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.requireGone(path)
	},
	"auth.data.6": func(t *T) {
		bare := t.place.gateway(t.judge, unsealed)
		if bare.base == "" { // nothing else works there without it either
			require.Contains(t, bare.out.String(), "HEADGATE_ENCRYPTION_MASTER_PASSWORD")
		} else {
			made := t.useVariant(unsealed).owner().post(
				guards,
				m{"name": "g", "url": "https://guard.example.com", "secret": "a-guard-secret-0123456789"},
			).is(201)
			assert.NotContains(t, made.body, "a-guard-secret-0123456789")
			assert.Equal(t, "g", made.object()["name"])
		}
		t.guard("https://guard.example.com", t.tenant()) // with the password too
	},
	"event.guardrail_webhook": func(t *T) {
		tenant := t.tenant()
		slow := newReceiver(func(w http.ResponseWriter, r *http.Request) {
			select { // longer than the plugin's timeout
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		})
		defer slow.Close()
		c := t.caller(tenant)
		c.chat("mock-echo", "hello")
		g := t.guard(slow.URL, tenant)
		path := guards + "/" + t.id(g)
		t.owner().put(path, m{"timeout_ms": 100}).is(200)
		t.eventually("the plugin is called, and its failure blocks", func() bool {
			return c.post("/v1/chat/completions", buildChat("mock-echo", "hello")).status == 503
		})
		assert.Positive(t, slow.count())
		t.owner().put(path, m{"fail_mode": "OPEN"}).is(200)
		t.eventually("its failure is an empty result", func() bool {
			return c.post("/v1/chat/completions", buildChat("mock-echo", "hello")).status == 200
		})
		t.owner().delete(path).is(204)
	},
	"limit.propagation": func(t *T) {
		tenant := t.tenant()
		r := newReceiver(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) })
		defer r.Close()
		c := t.caller(tenant)
		g := t.guard(r.URL, tenant)
		t.owner().put(guards+"/"+t.id(g), m{"fail_mode": "OPEN"}).is(200)
		signed := func() (n int) {
			a := c.post("/v1/chat/completions", buildChat("mock-echo", "hello"))
			if a.status == 200 && a.object()["model"] != "mock-echo" { // 503 until the guard may fail
				return 0
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.header) == 0 {
				return 0
			}
			for name, values := range r.header[len(r.header)-1] {
				if signatureHeader.MatchString(name) {
					n += len(values)
				}
			}
			return n
		}
		t.eventually("the plugin is called, with a signature", func() bool { return signed() > 0 })
		before := signed()
		t.owner().post(guards+"/"+t.id(g)+"/rotate", m{"secret": "another-secret-0123456789"}).is(200)
		t.eventually("both secrets sign", func() bool { return signed() > before })
		t.owner().delete(guards + "/" + t.id(g)).is(204)
	},
	"event.guardrail_plugin_created": func(t *T) {
		t.awaitEvent("", "GUARDRAIL_PLUGIN_CREATED", t.id(t.guard("https://guard.example.com", t.tenant())))
	},
	"event.guardrail_plugin_updated": func(t *T) {
		id := t.id(t.guard("https://guard.example.com", t.tenant()))
		t.owner().put(guards+"/"+id, m{"enabled": false}).is(200)
		t.awaitEvent("", "GUARDRAIL_PLUGIN_UPDATED", id)
	},
	"event.guardrail_plugin_rotated": func(t *T) {
		id := t.id(t.guard("https://guard.example.com", t.tenant()))
		t.owner().post(guards+"/"+id+"/rotate", m{"secret": "another-secret-0123456789"}).is(200)
		t.awaitEvent("", "GUARDRAIL_PLUGIN_ROTATED", id)
	},
	"event.guardrail_plugin_deleted": func(t *T) {
		id := t.id(t.guard("https://guard.example.com", t.tenant()))
		t.owner().delete(guards + "/" + id).is(204)
		t.awaitEvent("", "GUARDRAIL_PLUGIN_DELETED", id)
	},
}
