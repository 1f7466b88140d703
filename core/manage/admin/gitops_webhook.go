package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/outbox"
)

// configWebhooks imports and exports webhooks. Secrets, and addresses that are credentials, are not exported; a document may
// give them.
type configWebhooks struct{ hooks Webhooks }

// configWebhookChange are the fields of a change. A secret that is not the stored one is rotated.
// Its own type: requests of the API rotate a secret by an operation of its own, which a document cannot name.
type configWebhookChange struct {
	WebhookChange
	Secret *string `json:"secret,omitempty"`
}

// List returns the webhooks of all tenants.
func (s configWebhooks) List(ctx context.Context, who *auth.Actor) (List[Webhook], error) {
	return s.hooks.List(ctx, who, "", Page{})
}

// Create adds a webhook.
func (s configWebhooks) Create(ctx context.Context, who *auth.Actor, n NewWebhook) (Webhook, error) {
	return s.hooks.Create(ctx, who, n)
}

// CheckNew refuses a webhook that cannot be created.
func (s configWebhooks) CheckNew(_ context.Context, id string, n NewWebhook) error {
	_, err := s.hooks.build(id, n.TenantID, &n)
	return err
}

// CheckChange refuses a change that cannot be stored.
func (s configWebhooks) CheckChange(ctx context.Context, id string, c configWebhookChange) error {
	w, err := s.hooks.svc.Store.Webhooks().Get(ctx, id)
	if err != nil {
		return mapNotFound(err, "webhook")
	}
	if err := s.hooks.apply(&w, &c.WebhookChange); err != nil || c.Secret == nil {
		return err
	}
	if outbox.HidesURL(w.Format) {
		return newSpareSecretError()
	}
	return s.hooks.sealRotation(&w, *c.Secret)
}

// HasSealed reports whether a webhook has this secret, or this address if the address is the secret.
func (s configWebhooks) HasSealed(ctx context.Context, id, field string, value json.RawMessage) (same, isSealed bool, err error) {
	if field != "secret" && field != "url" {
		return false, false, nil
	}
	w, err := s.hooks.svc.Store.Webhooks().Get(ctx, id)
	if err != nil {
		return false, false, mapNotFound(err, "webhook")
	}
	hidden := outbox.HidesURL(w.Format)
	if field == "secret" && hidden {
		return false, true, nil // there is none: the change is refused
	}
	if field == "url" && (!hidden || isString(value, w.URL)) { // an export contains the part that is shown
		return false, false, nil
	}
	same, err = hasSecret(s.hooks.svc.WebhookBox, outbox.FormatSecretContext(id), w.Secret, value)
	return same, true, err
}

// isString reports whether a JSON value is this string.
func isString(value json.RawMessage, want string) bool {
	var s string
	return json.Unmarshal(value, &s) == nil && s == want
}

// Update changes the given fields, and rotates the secret if one is given.
func (s configWebhooks) Update(ctx context.Context, who *auth.Actor, id string, c configWebhookChange, m Match) (w Webhook, err error) {
	if c.Secret != nil {
		if w, err = s.hooks.RotateSecret(ctx, who, id, Rotation{Secret: *c.Secret}, m); err != nil {
			return w, err
		}
	}
	if c.WebhookChange == (WebhookChange{}) {
		return w, nil
	}
	return s.hooks.Update(ctx, who, id, c.WebhookChange, m)
}

// Delete removes a webhook.
func (s configWebhooks) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.hooks.Delete(ctx, who, id, m)
}

var (
	_ planner[NewWebhook, configWebhookChange]           = configWebhooks{}
	_ planner[NewGuardrailPlugin, configGuardrailChange] = configGuardrails{}
	_ sealer                                             = configWebhooks{}
	_ sealer                                             = configGuardrails{}
)
