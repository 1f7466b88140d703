package main_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// newHookSite returns a site whose gateways may call receivers on loopback, and seal secrets.
func newHookSite(t *testing.T) *site {
	s := newAdminSite(t)
	s.env = append(s.env, passwordVar+"correct horse battery staple", "HEADGATE_WEBHOOKS_ALLOW_PRIVATE=true")
	return s
}

// listener is a subscriber that keeps the events that it receives.
type listener struct {
	*httptest.Server
	mu    sync.Mutex
	heard []webhook.Event
}

func newListener(t *testing.T) *listener {
	l := new(listener)
	l.Server = httptest.NewServer(
		webhook.EventHandler(&webhook.Verifier{Secrets: []string{hookSecret}}, func(_ context.Context, e *webhook.Event) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.heard = append(l.heard, *e)
			return nil
		}),
	)
	t.Cleanup(l.Close)
	return l
}

// listEvents returns the data of the events of a type, one per line.
func (l *listener) listEvents(typ string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := ""
	for _, e := range l.heard {
		if e.Type == typ {
			out += e.Tenant + " " + string(e.Data) + "\n"
		}
	}
	return out
}

func TestSubscribersHearOfTheTraffic(t *testing.T) {
	t.Parallel()
	s, l := newHookSite(t), newListener(t)
	s.configure("", "  - stage: policy\n  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	sub := g.admin(
		201,
		"POST",
		"/webhooks",
		`{"name":"siem","url":"`+l.URL+`","secret":"`+hookSecret+`","event_types":["POLICY_DENIAL","PII_DETECTED","CONFIG_CHANGED"]}`,
	)
	policy := g.admin(
		201,
		"POST",
		"/policies",
		`{"name":"no gpt-5","dsl":"rules: [{id: no-gpt-5, conditions: {model.in: [gpt-5]}, action: DENY, deny_message: Not this one.}]"}`,
	)
	g.admin(200, "POST", "/policies/"+policy["id"].(string)+"/status", `{"status":"ACTIVE"}`)
	c := g.client(testKey)
	eventually(t, "the policy denies", func() bool { return c.chat(t, "gpt-5", "hello").code() == "POLICY_DENIED" })
	eventually(t, "the denial is delivered", func() bool { return strings.Contains(l.listEvents("POLICY_DENIAL"), `no-gpt-5`) })
	eventually(t, "the policy change is delivered", func() bool { return strings.Contains(l.listEvents("CONFIG_CHANGED"), `"policy:`+policy["id"].(string)) })
	require.Equal(t, 200, c.chat(t, "mock-echo", "card "+card).status)
	eventually(t, "the card finding is delivered", func() bool {
		return strings.Contains(l.listEvents("PII_DETECTED"), `"request_types":{"CREDIT_CARD":1}`)
	})
	assert.NotContains(t, l.listEvents("PII_DETECTED"), card)

	assert.Equal(t, true, g.admin(200, "POST", "/webhooks/"+sub["id"].(string)+"/test", "")["delivered"])
	assert.NotEmpty(t, l.listEvents("WEBHOOK_TEST"))
	f := s.run("webhook", "list", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "siem")
	f = s.run("webhook", "dead", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "no delivery was given up")
	g.stop()
	for _, hidden := range []string{hookSecret, card, l.URL} {
		assert.NotContains(t, g.out.String()+g.errs.String()+f.out, hidden)
	}
}

func TestAGuardrailPluginIsAskedFromWhenItIsStored(t *testing.T) {
	t.Parallel()
	s, up, guard := newHookSite(t), newUpstream(t), newGuardOverHTTP(t)
	s.configure(up.URL, "  - stage: pii\n  - stage: cache\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	require.Equal(t, 200, c.chat(t, "gpt-4o", "FORBIDDEN").status)
	assert.Equal(t, []string{"pii", "cache"}, g.status().links())
	p := g.admin(201, "POST", "/guardrail-plugins", `{"name":"words","url":"`+guard.URL+`","secret":"`+hookSecret+`"}`)
	path := "/guardrail-plugins/" + p["id"].(string)
	eventually(t, "the plugin blocks", func() bool { return c.chat(t, "gpt-4o", "FORBIDDEN").code() == "content_filter" })
	assert.Equal(t, []string{"pii", "guardrail-plugins", "cache"}, g.status().links())
	a := c.chat(t, "gpt-4o", "card "+card+" of PROJECT-APOLLO")
	assert.Equal(t, "card "+card+" of PROJECT-APOLLO", a.content())
	assert.NotContains(t, up.last(), "APOLLO")
	assert.NotContains(t, guard.joinTexts(), card, "the plugin runs after pii")

	guard.fails.Store(true)
	assert.Equal(t, "guard_unavailable", c.chat(t, "gpt-4o", "new text").code())
	g.admin(200, "PUT", path, `{"fail_mode":"OPEN"}`)
	eventually(t, "its failure passes", func() bool { return c.chat(t, "gpt-4o", "new text").status == 200 })
	guard.fails.Store(false)
	g.admin(200, "POST", path+"/disable", "")
	eventually(t, "the plugin is no longer called", func() bool { return c.chat(t, "gpt-4o", "FORBIDDEN").status == 200 })
	g.admin(200, "PUT", path, `{"mode":"shadow"}`)
	g.admin(200, "POST", path+"/enable", "")
	eventually(t, "the plugin is called in shadow mode", func() bool {
		return c.chat(t, "gpt-4o", "FORBIDDEN").status == 200 && g.findLogLine("a webhook in shadow was asked")["action"] == "block"
	})
	g.admin(204, "DELETE", path, "")
	g.stop()
	for _, hidden := range []string{hookSecret, card, guard.URL} {
		assert.NotContains(t, g.out.String()+g.errs.String(), hidden)
	}
}

func TestAnOutputSchemaHoldsFromWhenItIsStored(t *testing.T) {
	t.Parallel()
	s := newHookSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	require.Equal(t, 200, c.chat(t, "mock-echo", "hello").status)
	db, err := store.Open(context.Background(), "sqlite:"+filepath.Join(s.dir, "headgate.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.Background())) }()
	_, err = db.OutputSchemas().Insert(
		context.Background(),
		store.OutputSchema{ID: "s1", ModelPattern: "mock-*", Schema: `{"type":"object"}`, Enabled: true},
	)
	require.NoError(t, err)
	eventually(t, "the schema holds", func() bool { return c.chat(t, "mock-echo", "hello").code() == "output_schema_mismatch" })
	assert.Equal(t, 200, c.chat(t, "mock-echo", "{}").status)
	require.NoError(t, db.OutputSchemas().Delete(context.Background(), "s1", func(store.OutputSchema) error { return nil }))
	eventually(t, "the schema is gone", func() bool { return c.chat(t, "mock-echo", "hello").status == 200 })
}

func TestEventsSurviveAKilledGateway(t *testing.T) {
	t.Parallel()
	s, l := newHookSite(t), newListener(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	away := httptest.NewServer(nil)
	away.Close() // nothing listens there
	sub := g.admin(201, "POST", "/webhooks", `{"name":"siem","url":"`+away.URL+`","secret":"`+hookSecret+`","event_types":["CONFIG_CHANGED"]}`)
	var ids []string
	for i := range 2 { // without a licence there are three tenants, and one is the file's
		ids = append(ids, g.admin(201, "POST", "/tenants", `{"name":"t`+strconv.Itoa(i)+`"}`)["id"].(string))
	}
	g.kill()
	g = s.serve("--config", "gateway.yaml")
	g.admin(200, "PUT", "/webhooks/"+sub["id"].(string), `{"url":"`+l.URL+`"}`)
	eventually(t, "all changes are delivered", func() bool {
		said := l.listEvents("CONFIG_CHANGED")
		for _, id := range ids {
			if !strings.Contains(said, `"tenant:`+id+`"`) {
				return false
			}
		}
		return true
	})
}
