package webhook_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

const eventBody = `{"version":1,"delivery":"d1","event":"e1","type":"POLICY_DENIAL","tenant":"acme","created_at":"2026-11-22T12:00:00Z","data":{"rules":["r"]}}`

func TestTheSampleHearsEventsThatAreSigned(t *testing.T) {
	url := start(t, receivers(t)["Go"]) + "events"
	s, err := adapter.NewSender(adapter.SenderOptions{AllowPrivate: true})
	require.NoError(t, err)
	defer s.Close()
	for name, c := range map[string]struct {
		change func(e *adapter.Event)
		status int
	}{
		"a right one":                                   {func(*adapter.Event) {}, 204},
		"the same one again":                            {func(*adapter.Event) {}, 204},
		"under a stranger's secret":                     {func(e *adapter.Event) { e.Secret = "a stranger's secret" }, 401},
		"under a new secret, and the old one beside it": {func(e *adapter.Event) { e.Secret, e.Previous = "a secret that is new", older }, 204},
		"of another version":                            {func(e *adapter.Event) { e.Body = []byte(`{"version":2}`) }, 401},
	} {
		t.Run(name, func(t *testing.T) {
			e := adapter.Event{URL: url, Secret: secret, Type: "POLICY_DENIAL", Delivery: "d1", Attempt: 1, Body: []byte(eventBody)}
			c.change(&e)
			status, err := s.Send(context.Background(), e)
			assert.Equal(t, c.status, status)
			assert.Equal(t, c.status == 204, err == nil)
		})
	}
}

func TestAnEventIsNoCallAndACallNoEvent(t *testing.T) {
	signed := func(d webhook.Direction, nonce string) http.Header {
		now := time.Now().Unix()
		h := http.Header{}
		h.Set(webhook.HeaderTimestamp, strconv.FormatInt(now, 10))
		h.Set(webhook.HeaderNonce, nonce)
		h.Set(webhook.HeaderSignature, webhook.Sign(secret, d, now, nonce, []byte(eventBody)))
		return h
	}
	v := &webhook.Verifier{Secrets: []string{secret}}
	_, err := v.VerifyEvent(signed(webhook.Call, strings.Repeat("01", 16)), []byte(eventBody))
	require.ErrorIs(t, err, webhook.ErrSignature)
	_, err = v.Verify(signed(webhook.Told, strings.Repeat("02", 16)), []byte(eventBody))
	require.ErrorIs(t, err, webhook.ErrSignature)
	h := signed(webhook.Told, strings.Repeat("03", 16))
	e, err := v.VerifyEvent(h, []byte(eventBody))
	require.NoError(t, err)
	assert.Equal(t, "d1", e.Delivery)
	assert.Equal(t, "acme", e.Tenant)
	assert.JSONEq(t, `{"rules":["r"]}`, string(e.Data))
	_, err = v.VerifyEvent(h, []byte(eventBody))
	require.ErrorIs(t, err, webhook.ErrReplayed)
}
