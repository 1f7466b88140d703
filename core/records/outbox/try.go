package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// buildCall returns the call to a subscriber that reports an event. In the gateway's own format it is to be signed with
// the subscription's current secret.
func buildCall(box Box, w *store.Webhook, now time.Time, delivery string, e *store.WebhookEvent) (Call, error) {
	c := Call{URL: w.URL, Type: e.Type, Delivery: delivery}
	secret, err := box.Open(w.Secret, FormatSecretContext(w.ID))
	if err != nil {
		return c, errors.New("the secret cannot be opened: it was sealed with another master password; rotate it")
	}
	if c.Body, err = encodeBody(w, string(secret), delivery, e); err != nil {
		return c, err
	}
	if HidesURL(w.Format) {
		c.URL = string(secret)
	}
	if !Signs(w.Format) {
		return c, nil
	}
	c.Secret = string(secret)
	if len(w.Previous) > 0 && now.Before(w.PreviousUntil) {
		previous, err := box.Open(w.Previous, FormatSecretContext(w.ID))
		if err != nil {
			return c, errors.New("the previous secret cannot be opened: it was sealed with another master password; rotate it")
		}
		c.Previous = string(previous)
	}
	return c, nil
}

// TestResult is the result of a test.
type TestResult struct {
	Status   int // 0 if there was no answer
	Duration time.Duration
	Error    string // "" if the subscriber accepted it
}

// SendTest sends a signed test event to a subscriber at once. It stores no delivery and does not retry.
func (d *Dispatcher) SendTest(ctx context.Context, w *store.Webhook, id string) (TestResult, error) {
	began := d.o.Now()
	e := store.WebhookEvent{ID: id, Type: Test, Tenant: w.Tenant, Data: "{}", At: began.UTC()}
	c, err := buildCall(d.o.Box, w, began, id, &e)
	if err != nil {
		return TestResult{}, fmt.Errorf("webhook: %w", err)
	}
	c.Attempt = 1
	ctx, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	var t TestResult
	t.Status, err = d.o.Sender.Send(ctx, c)
	t.Duration = d.o.Now().Sub(began)
	if err != nil {
		t.Error = err.Error()
	}
	return t, nil
}
