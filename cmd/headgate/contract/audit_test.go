package contract_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/url"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const audits = "/admin/v1/audit/events"

// events returns the audit events of a tenant of one type, newest first. An empty type matches all.
func (t *T) events(tenant, kind string) []any {
	t.Helper()
	q := url.Values{}
	if tenant != "" {
		q.Set("tenant_id", tenant)
	}
	if kind != "" {
		q.Set("event_type", kind)
	}
	return t.owner().get(audits + "?" + q.Encode()).is(200).array()
}

// awaitEvent waits for an audit event of a tenant of one type whose payload contains a text, and returns it.
func (t *T) awaitEvent(tenant, kind, holds string) (event m) {
	t.Helper()
	t.eventually(kind+" is recorded", func() bool {
		for _, v := range t.events(tenant, kind) {
			text, _ := json.Marshal(v)
			if bytes.Contains(text, []byte(holds)) {
				event = v.(m)
				return true
			}
		}
		return false
	})
	return event
}

// createExchange creates a tenant with exactly one exchange in the audit chain.
func (t *T) createExchange() (tenant string, key m) {
	t.Helper()
	defer t.honest()()
	tenant = t.tenant()
	key = t.key(tenant)
	t.bearer(t.text(key, "key")).chat("mock-echo", "hello")
	t.awaitEvent(tenant, "GATEWAY_RESPONSE", "mock-echo")
	return tenant, key
}

var auditRows = rows{
	"admin.audit.list": func(t *T) {
		tenant, _ := t.createExchange()
		l := t.events(tenant, "")
		require.GreaterOrEqual(t, len(l), 2)
		for i := 1; i < len(l); i++ {
			assert.False(t, t.time(l[i-1].(m), "timestamp").Before(t.time(l[i].(m), "timestamp")), "newest first")
		}
		for _, kind := range []string{"GATEWAY_REQUEST", "GATEWAY_RESPONSE"} {
			of := t.events(tenant, kind)
			require.NotEmpty(t, of)
			for _, v := range of {
				assert.Equal(t, kind, v.(m)["eventType"])
				assert.Equal(t, tenant, v.(m)["tenantId"])
			}
		}
		since := "&from=" + url.QueryEscape(time.Now().UTC().Add(time.Hour).Format(time.RFC3339))
		assert.Empty(t, t.owner().get(audits+"?tenant_id="+tenant+since).is(200).array())
		assert.Empty(t, t.owner().get(audits+"?tenant_id="+tenant+"&to="+firstDay).is(200).array())
		assert.Len(t, t.owner().get(audits+"?tenant_id="+tenant+"&event_type=GATEWAY_REQUEST&from="+firstDay+"&to="+lastDay).is(200).array(), 1)
	},
	"admin.audit.csv": func(t *T) {
		tenant, _ := t.createExchange()
		text := t.owner().get(audits+"/export?tenant_id="+tenant+"&event_type=GATEWAY_RESPONSE").requireFile("text/csv", "audit-events.csv")
		lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		require.NoError(t, err)
		require.Len(t, lines, 2)
		assert.Equal(t, []string{"event_id", "timestamp", "tenant_id", "event_type", "payload"}, lines[0])
		assert.Equal(t, tenant, lines[1][2])
		assert.Equal(t, "GATEWAY_RESPONSE", lines[1][3])
		var payload m
		require.NoError(t, json.Unmarshal([]byte(lines[1][4]), &payload))
		assert.Equal(t, "mock-echo", payload["model"])
	},
	"admin.audit.json": func(t *T) {
		tenant, _ := t.createExchange()
		text := t.owner().get(audits+"/export/json?tenant_id="+tenant).requireFile("application/json", "audit-events.json")
		var l []m
		require.NoError(t, json.Unmarshal(text, &l))
		require.GreaterOrEqual(t, len(l), 2)
		for _, o := range l {
			assert.Equal(t, tenant, o["tenantId"])
		}
	},
	"audit.event": func(t *T) {
		tenant, key := t.createExchange()
		o := t.awaitEvent(tenant, "GATEWAY_RESPONSE", "mock-echo")
		t.text(o, "eventId")
		t.time(o, "timestamp")
		assert.Equal(t, tenant, o["tenantId"])
		payload, _ := o["payload"].(m)
		for field, want := range (m{"model": "mock-echo", "provider": "mock", "status": 200.0}) {
			assert.Equal(t, want, payload[field], field)
		}
		t.number(payload, "latency_ms")
		assert.Positive(t, t.number(payload, "tokens_total"))
		assert.NotContains(t, t.text(payload, "api_key"), t.text(key, "key"))
	},
	"event.gateway_request": func(t *T) {
		tenant, _ := t.createExchange()
		l := t.events(tenant, "GATEWAY_REQUEST")
		require.Len(t, l, 1)
		assert.Equal(t, tenant, l[0].(m)["tenantId"])
	},
	"event.gateway_response": func(t *T) {
		tenant, key := t.createExchange()
		l := t.events(tenant, "GATEWAY_RESPONSE")
		require.Len(t, l, 1)
		payload, _ := l[0].(m)["payload"].(m)
		t.fields(payload, "model", "provider", "status", "latency_ms", "api_key", "tokens_total")
		assert.Equal(t, "mock-echo", payload["model"])
		short := t.text(payload, "api_key")
		assert.Less(t, len(short), len(t.text(key, "key"))/2, "the key is truncated")
	},
	"error.audit_date": func(t *T) {
		for _, path := range []string{audits, audits + "/export", audits + "/export/json"} {
			for _, query := range []string{"?from=yesterday", "?to=2026-13-01"} {
				t.owner().get(path+query).requireRefusal(400, "invalid_request_error", "")
			}
		}
	},
}
