package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

const hookSecret = "0123456789abcdef0123456789abcdef"

// hears starts a subscriber on loopback that answers with a status; 0 means 204.
func hears(t testing.TB, status int, secrets ...string) (url string, heard func() []*webhook.Event) {
	var mu sync.Mutex
	var all []*webhook.Event
	v := &webhook.Verifier{Secrets: secrets}
	h := webhook.EventHandler(v, func(_ context.Context, e *webhook.Event) error {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, e)
		return nil
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status != 0 {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("the words of the subscriber"))
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []*webhook.Event {
		mu.Lock()
		defer mu.Unlock()
		return append([]*webhook.Event(nil), all...)
	}
}

func hook(url string, more ...any) map[string]any {
	m := map[string]any{"name": "siem", "url": url, "secret": hookSecret, "event_types": []string{"POLICY_DENIAL", "PII_DETECTED"}}
	for i := 0; i+1 < len(more); i += 2 {
		if m[more[i].(string)] = more[i+1]; more[i+1] == nil {
			delete(m, more[i].(string))
		}
	}
	return m
}

func TestAWebhookIsMadeReadChangedAndDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/webhooks", hook("https://siem.example.com/in")).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "/admin/v1/webhooks/"+r.str("id"), path)
		assert.Equal(t, []any{"POLICY_DENIAL", "PII_DETECTED"}, r.field("event_types"))
		assert.Equal(t, true, r.field("enabled"))
		got := a.do("GET", path, nil).is(200)
		assert.Equal(t, r.text, got.text)
		list := a.do("GET", "/admin/v1/webhooks", nil).is(200)
		assert.Equal(t, 1, list.len("data"))
		for _, text := range []string{r.text, got.text, list.text} {
			assert.NotContains(t, text, hookSecret)
			assert.NotContains(t, text, `"secret"`)
		}
		w, err := a.db.Webhooks().Get(t.Context(), r.str("id"))
		require.NoError(t, err)
		assert.NotContains(t, string(w.Secret), hookSecret[:16], "the secret is stored sealed")

		a.do("PUT", path, `{"enabled":false}`, "If-Match", `"stale"`).requireRefusal(412, "precondition_failed")
		put := a.do("PUT", path, `{"enabled":false,"event_types":["BUDGET_EXCEEDED"]}`, "If-Match", got.header.Get("ETag")).is(200)
		assert.Equal(t, false, put.field("enabled"))
		assert.Equal(t, "siem", put.str("name"))
		a.do("POST", "/admin/v1/webhooks", hook("https://siem.example.com/in")).requireRefusal(409, "conflict")
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")
		assert.Equal(t, []string{"CONFIG_CHANGED", "CONFIG_CHANGED", "CONFIG_CHANGED"}, a.events("")[:3])
	})
}

func TestWhatIsWrongWithAWebhookIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).str("id")
		for name, c := range map[string]struct {
			body any
			code string
		}{
			"no name":                         {map[string]any{"url": "https://x.example", "secret": hookSecret, "event_types": []string{"PII_DETECTED"}}, "missing_required_parameter"},
			"no URL":                          {hook(""), "invalid_value"},
			"another scheme":                  {hook("ftp://x.example"), "invalid_value"},
			"a password in the URL":           {hook("https://u:p@x.example"), "invalid_value"},
			"the metadata address of a cloud": {hook("http://169.254.169.254/latest"), "invalid_value"},
			"a short secret":                  {hook("https://x.example", "secret", "short"), "invalid_value"},
			"an unknown type":                 {hook("https://x.example", "event_types", []string{"EVERYTHING"}), "invalid_value"},
			"no type":                         {hook("https://x.example", "event_types", []string{}), "invalid_value"},
			"a type twice":                    {hook("https://x.example", "event_types", []string{"PII_DETECTED", "PII_DETECTED"}), "invalid_value"},
			"an event without a tenant":       {hook("https://x.example", "event_types", []string{"CONFIG_CHANGED"}, "tenant_id", tenant), "invalid_value"},
			"an unknown field":                {hook("https://x.example", "retries", 5), "invalid_value"},
			"SQL injection in a name":         {hook("https://x.example", "name", "'; DROP TABLE webhook; --", "event_types", "x"), "invalid_value"},
		} {
			t.Log(name)
			r := a.do("POST", "/admin/v1/webhooks", c.body).is(400)
			if c.code != "invalid_value" {
				r.requireRefusal(400, c.code)
			}
			assert.NotContains(t, r.text, hookSecret)
		}
		a.do("POST", "/admin/v1/webhooks", hook("https://x.example", "tenant_id", "nobody")).requireRefusal(404, "not_found")
		a.do("GET", "/admin/v1/webhooks/unknown", nil).requireRefusal(404, "not_found")
	})
}

func TestWebhooksAreTheOwners(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		path := a.do("POST", "/admin/v1/webhooks", hook("https://x.example")).is(201).header.Get("Location")
		for _, role := range []string{"policy-admin", "billing-admin", "admin@t", "developer@t", "viewer@t"} {
			a.sendAs(role, "POST", "/admin/v1/webhooks", hook("https://x.example", "name", role)).requireRefusal(403, "FORBIDDEN")
			a.sendAs(role, "GET", "/admin/v1/webhooks", nil).requireRefusal(403, "FORBIDDEN")
			a.sendAs(role, "POST", path+"/test", nil).requireRefusal(403, "FORBIDDEN")
		}
	})
}

func TestATestOfAWebhookAnswersStatusAndTimeAlone(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		good, heard := hears(t, 0, hookSecret)
		bad, _ := hears(t, 418)
		path := a.do("POST", "/admin/v1/webhooks", hook(good)).is(201).header.Get("Location")
		r := a.do("POST", path+"/test", nil).is(200)
		assert.Equal(t, true, r.field("delivered"))
		require.Len(t, heard(), 1)
		assert.Equal(t, "WEBHOOK_TEST", heard()[0].Type)
		assert.Equal(t, 0, a.do("GET", path+"/deliveries", nil).is(200).len("data"), "a test is not a delivery")

		path = a.do("POST", "/admin/v1/webhooks", hook(bad, "name", "bad")).is(201).header.Get("Location")
		r = a.do("POST", path+"/test", nil).is(200)
		assert.Equal(t, false, r.field("delivered"))
		assert.Equal(t, "418", r.field("status").(interface{ String() string }).String())
		assert.NotContains(t, r.text, "the words of the subscriber")
	})
}

func TestDeliveriesAreListedAndSentAgain(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		box := a.box()
		bad, _ := hears(t, 500)
		r := a.do("POST", "/admin/v1/webhooks", hook(bad)).is(201)
		path := r.header.Get("Location")
		require.NoError(t, a.db.Outbox().InsertEvents(t.Context(), []store.WebhookEvent{{Type: outbox.PolicyDenial, Data: `{}`}}))
		a.deliver(box, "dead", 1)
		dead := a.do("GET", "/admin/v1/webhook-dead-letters", nil).is(200)
		assert.Equal(t, 1, dead.len("data"))
		assert.Equal(t, r.str("id"), dead.str("data", 0, "webhook_id"))
		assert.Equal(t, "the receiver answered with status 500", dead.str("data", 0, "attempts", 0, "error"))
		assert.NotContains(t, dead.text, "the words of the subscriber")
		id := dead.str("data", 0, "id")

		good, heard := hears(t, 0, hookSecret)
		a.do("PUT", path, map[string]any{"url": good}).is(200)
		a.do("POST", "/admin/v1/webhooks/other/deliveries/"+id+"/redeliver", nil).requireRefusal(404, "not_found")
		again := a.do("POST", path+"/deliveries/"+id+"/redeliver", nil).is(200)
		assert.Equal(t, "pending", again.str("state"))
		a.deliver(box, "delivered", 1)
		assert.Equal(t, id, heard()[0].Delivery)
		assert.Equal(t, 1, a.do("GET", path+"/deliveries?state=delivered", nil).is(200).len("data"))
		assert.Equal(t, 0, a.do("GET", path+"/deliveries?state=dead", nil).is(200).len("data"))
	})
}

func TestARotatedSecretSignsAtOnceAndTheOldOneBesideIt(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const next = "fedcba9876543210fedcba9876543210"
		old, heardOld := hears(t, 0, hookSecret)
		path := a.do("POST", "/admin/v1/webhooks", hook(old)).is(201).header.Get("Location")
		r := a.do("POST", path+"/rotate", map[string]any{"secret": next, "overlap_seconds": 3600}).is(200)
		assert.NotContains(t, r.text, next)
		assert.NotEmpty(t, r.str("previous_secret_until"))
		a.do("POST", path+"/test", nil).is(200)
		assert.Len(t, heardOld(), 1, "a receiver with only the old secret still verifies")
		fresh, heardNew := hears(t, 0, next)
		a.do("PUT", path, map[string]any{"url": fresh}).is(200)
		a.do("POST", path+"/test", nil).is(200)
		assert.Len(t, heardNew(), 1)
		a.now.Add(2 * 3600 * 1e6)
		a.do("PUT", path, map[string]any{"url": old}).is(200)
		assert.Equal(t, false, a.do("POST", path+"/test", nil).is(200).field("delivered"), "the overlap is over")
		a.do("POST", path+"/rotate", `{"secret":"short"}`).is(400)
	})
}

// box opens secrets that the API has sealed.
func (a *api) box() *vault.Box {
	m, _, err := vault.LoadMaster(a.t.Context(), a.db, "a long enough password for tests")
	require.NoError(a.t, err)
	b, err := m.NewBox("webhooks")
	require.NoError(a.t, err)
	return b
}

func TestAChangeAndTheEventOfItAreOne(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		url, heard := hears(t, 0, hookSecret)
		a.do("POST", "/admin/v1/webhooks", hook(url, "event_types", []string{"CONFIG_CHANGED"})).is(201)
		id := a.do("POST", "/admin/v1/tenants", `{"name":"t"}`).is(201).str("id")
		a.do("POST", "/admin/v1/tenants", `{"name":""}`).is(400)
		a.deliver(a.box(), "delivered", 2)
		var all string
		for _, e := range heard() {
			assert.Equal(t, "CONFIG_CHANGED", e.Type)
			all += string(e.Data)
		}
		assert.Contains(t, all, `"tenant:`+id+`"`)
		assert.Contains(t, all, `"webhook:`)
	})
}
