package admin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Webhook is a subscription to events. Its secret is never shown.
type Webhook struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	URL           string     `json:"url"`
	EventTypes    []string   `json:"event_types" nullable:"false"`
	TenantID      string     `json:"tenant_id,omitempty" doc:"Left out: of the platform, which hears of every tenant."`
	Enabled       bool       `json:"enabled"`
	PreviousUntil *time.Time `json:"previous_secret_until,omitempty" doc:"How long the secret before still signs a second header."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// NewWebhook are the fields of a subscription to be made.
type NewWebhook struct {
	Name       string   `json:"name" minLength:"1" maxLength:"200"`
	URL        string   `json:"url" minLength:"1" maxLength:"2048" doc:"Where events are sent by POST: https, unless the operator allows more."`
	Secret     string   `json:"secret" minLength:"16" maxLength:"512" writeOnly:"true" doc:"Signs the calls. It is stored sealed, and never shown."`
	EventTypes []string `json:"event_types" minItems:"1" maxItems:"64" nullable:"false"`
	TenantID   string   `json:"tenant_id,omitempty" maxLength:"128" doc:"Events of this tenant alone."`
	Enabled    *bool    `json:"enabled,omitempty" doc:"True unless sent."`
}

// WebhookChange are the fields that a request sends of a subscription; nil: as they are.
type WebhookChange struct {
	Name       *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	URL        *string   `json:"url,omitempty" minLength:"1" maxLength:"2048"`
	EventTypes *[]string `json:"event_types,omitempty" minItems:"1" maxItems:"64" nullable:"false"`
	Enabled    *bool     `json:"enabled,omitempty"`
}

// Subscribers calls those who have subscribed to events.
type Subscribers interface {
	// Check says what is wrong with the URL of one.
	Check(url string) error
	// Try sends a signed test event to one, and says what came back.
	Try(ctx context.Context, w *store.Webhook, id string) (outbox.Tried, error)
	// Wake says that something is to be delivered.
	Wake()
}

// Delivery is one event for one subscriber.
type Delivery struct {
	ID        string     `json:"id" doc:"The same in every call for it."`
	WebhookID string     `json:"webhook_id"`
	EventID   string     `json:"event_id"`
	EventType string     `json:"event_type"`
	TenantID  string     `json:"tenant_id,omitempty"`
	State     string     `json:"state" enum:"pending,delivered,dead"`
	Queued    time.Time  `json:"queued_at"`
	Next      *time.Time `json:"next_attempt_at,omitempty"`
	Ended     *time.Time `json:"ended_at,omitempty"`
	Attempts  []Attempt  `json:"attempts" nullable:"false" doc:"The calls, the oldest first."`
}

// Attempt is one call for a delivery. What was answered is not kept.
type Attempt struct {
	Attempt    int       `json:"attempt"`
	At         time.Time `json:"at"`
	Status     int       `json:"status" doc:"HTTP status; 0: there was no answer."`
	DurationMS int64     `json:"duration_ms"`
	Error      string    `json:"error,omitempty"`
}

// WebhookTest is what came of a test.
type WebhookTest struct {
	Delivered  bool   `json:"delivered"`
	Status     int    `json:"status" doc:"HTTP status; 0: there was no answer."`
	DurationMS int64  `json:"duration_ms"`
	Error      string `json:"error,omitempty"`
}

// isPlatformEvent reports an event that concerns no tenant, which a tenant's subscription would never hear of.
func isPlatformEvent(name string) bool {
	return strings.HasPrefix(name, "PLUGIN_") || name == outbox.LicenseTransition || name == outbox.ConfigChanged
}

func (s Webhooks) check(w *store.Webhook) error {
	if strings.TrimSpace(w.Name) == "" {
		return invalidValue("name", "write a name of 1 to 200 characters")
	}
	if err := s.svc.Subscribers.Check(w.URL); err != nil {
		return invalidValue("url", "%s", err)
	}
	for i, t := range w.EventTypes {
		switch {
		case !outbox.Known(t):
			return invalidValue("event_types", "one is not known; known are %s", strings.Join(outbox.Names(), ", "))
		case slices.Index(w.EventTypes, t) < i:
			return invalidValue("event_types", "%s is there twice; keep one", t)
		case w.Tenant != "" && isPlatformEvent(t):
			return invalidValue("event_types", "%s concerns no tenant; leave tenant_id out to subscribe to it", t)
		}
	}
	if len(w.EventTypes) == 0 {
		return invalidValue("event_types", "name at least one type")
	}
	return nil
}

// Create makes a subscription.
func (s Webhooks) Create(ctx context.Context, who *auth.Actor, n NewWebhook) (Webhook, error) {
	tenant, err := s.svc.allow(ctx, who, auth.WebhooksWrite, n.TenantID)
	if err != nil {
		return Webhook{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return Webhook{}, err
	}
	w := store.Webhook{ID: s.svc.NewID(), Tenant: tenant, Name: n.Name, URL: n.URL, EventTypes: n.EventTypes, Enabled: n.Enabled == nil || *n.Enabled}
	if err := s.check(&w); err != nil {
		return Webhook{}, err
	}
	if err := checkSecret(n.Secret); err != nil {
		return Webhook{}, err
	}
	w.Secret = s.svc.WebhookBox.Seal([]byte(n.Secret), outbox.SecretContext(w.ID))
	if w, err = s.svc.Store.Webhooks().Insert(ctx, w); err != nil {
		return Webhook{}, mapTaken(err, "webhook")
	}
	return viewWebhook(&w), s.svc.publishChange(ctx, who, created, "webhook", w.ID, w.Tenant)
}

// mapTaken puts the refusal of a name that is there already in the place of the store's error.
func mapTaken(err error, what string) error {
	if errors.Is(err, store.ErrExists) {
		return conflict(CodeConflict, "there is a "+what+" of this name already; choose another")
	}
	return mapNotFound(err, what)
}

// List lists subscriptions, of one tenant or all.
func (s Webhooks) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[Webhook], error) {
	tenant, err := s.svc.allow(ctx, who, auth.WebhooksRead, tenant)
	if err != nil {
		return List[Webhook]{}, err
	}
	after, err := page.cursor()
	return List[Webhook]{
		Cursor: func(w Webhook) string { return cursorOf(w.CreatedAt, w.ID) },
		All:    viewEach(s.svc.Store.Webhooks().EachOf(ctx, tenant, after, page.Limit), viewWebhook),
	}, err
}

// find reads a subscription for an actor who may do what p names to it.
func (s Webhooks) find(ctx context.Context, who *auth.Actor, p auth.Permission, id string) (store.Webhook, error) {
	own, err := s.svc.allow(ctx, who, p, "")
	if err != nil {
		return store.Webhook{}, err
	}
	w, err := s.svc.Store.Webhooks().Get(ctx, id)
	if err == nil && own != "" && w.Tenant != own {
		err = store.ErrNotFound
	}
	return w, mapNotFound(err, "webhook")
}

// Get is one subscription.
func (s Webhooks) Get(ctx context.Context, who *auth.Actor, id string) (Webhook, error) {
	w, err := s.find(ctx, who, auth.WebhooksRead, id)
	if err != nil {
		return Webhook{}, err
	}
	return viewWebhook(&w), nil
}

func viewWebhook(w *store.Webhook) Webhook {
	v := Webhook{
		ID: w.ID, Name: w.Name, URL: w.URL, EventTypes: w.EventTypes, TenantID: w.Tenant, Enabled: w.Enabled, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
	}
	if v.EventTypes == nil {
		v.EventTypes = []string{}
	}
	if !w.PreviousUntil.IsZero() {
		v.PreviousUntil = &w.PreviousUntil
	}
	return v
}
