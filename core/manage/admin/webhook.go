package admin

import (
	"cmp"
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
	URL           string     `json:"url" doc:"The URL that receives events. Of an incoming webhook of Slack or Teams, which is a credential, only scheme and host are shown."`
	Format        string     `json:"format" enum:"headgate,slack,teams,pagerduty" doc:"The format of the calls."`
	EventTypes    []string   `json:"event_types" nullable:"false"`
	TenantID      string     `json:"tenant_id,omitempty" doc:"Omitted: a webhook of the platform, which receives the events of all tenants."`
	Enabled       bool       `json:"enabled"`
	PreviousUntil *time.Time `json:"previous_secret_until,omitempty" doc:"Until when the previous secret signs a second header."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// NewWebhook contains the fields of a new webhook.
// Its own type: it holds the secret, and generated clients require what creation requires; in a change every field is optional.
type NewWebhook struct {
	Name       string   `json:"name" minLength:"1" maxLength:"200"`
	URL        string   `json:"url,omitempty" maxLength:"2048" doc:"The URL that receives events by POST: https, unless the operator allows other schemes. May be omitted for pagerduty." example:"https://hooks.example.com/headgate"`
	Format     string   `json:"format,omitempty" enum:"headgate,slack,teams,pagerduty" doc:"The format of the calls, headgate by default. It cannot be changed later."`
	Secret     string   `json:"secret,omitempty" minLength:"16" maxLength:"512" writeOnly:"true" doc:"Signs calls in the format headgate; 16 characters or more. For pagerduty the integration key. Omitted for slack and teams. It is stored sealed and never shown."`
	EventTypes []string `json:"event_types" minItems:"1" maxItems:"64" nullable:"false" example:"[\"BUDGET_EXCEEDED\"]"`
	TenantID   string   `json:"tenant_id,omitempty" maxLength:"128" doc:"Only events of this tenant."`
	Enabled    *bool    `json:"enabled,omitempty" doc:"true by default."`
}

// WebhookChange contains the fields that a request sends. A nil field keeps its value.
type WebhookChange struct {
	Name       *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	URL        *string   `json:"url,omitempty" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/headgate"`
	EventTypes *[]string `json:"event_types,omitempty" minItems:"1" maxItems:"64" nullable:"false" example:"[\"BUDGET_EXCEEDED\"]"`
	Enabled    *bool     `json:"enabled,omitempty"`
}

// Subscribers calls the receivers of webhooks.
type Subscribers interface {
	// CheckURL returns why the URL of a receiver is not allowed, or nil.
	CheckURL(url string) error
	// SendTest sends a signed test event and returns the receiver's answer.
	SendTest(ctx context.Context, w *store.Webhook, id string) (outbox.TestResult, error)
	// Wake starts the delivery of stored events.
	Wake()
}

// Delivery is one event for one webhook.
type Delivery struct {
	ID        string     `json:"id" doc:"The id of the event, the same in every attempt."`
	WebhookID string     `json:"webhook_id"`
	EventID   string     `json:"event_id"`
	EventType string     `json:"event_type"`
	TenantID  string     `json:"tenant_id,omitempty"`
	State     string     `json:"state" enum:"pending,delivered,dead"`
	Queued    time.Time  `json:"queued_at"`
	Next      *time.Time `json:"next_attempt_at,omitempty"`
	Ended     *time.Time `json:"ended_at,omitempty"`
	Attempts  []Attempt  `json:"attempts" nullable:"false" doc:"The attempts, oldest first."`
}

// Attempt is one call of a delivery. The body of the answer is not stored.
type Attempt struct {
	Attempt    int       `json:"attempt"`
	At         time.Time `json:"at"`
	Status     int       `json:"status" doc:"The HTTP status of the answer. 0: no answer."`
	DurationMS int64     `json:"duration_ms"`
	Error      string    `json:"error,omitempty"`
}

// WebhookTest is the result of a test event.
type WebhookTest struct {
	Delivered  bool   `json:"delivered"`
	Status     int    `json:"status" doc:"The HTTP status of the answer. 0: no answer."`
	DurationMS int64  `json:"duration_ms"`
	Error      string `json:"error,omitempty"`
}

// isPlatformEvent reports whether an event concerns no tenant, so that webhooks of a tenant never receive it.
func isPlatformEvent(name string) bool {
	switch name {
	case outbox.LicenseTransition, outbox.ConfigChanged, outbox.ToolDrift, outbox.CircuitChanged:
		return true
	}
	return strings.HasPrefix(name, "PLUGIN_")
}

func (s Webhooks) check(w *store.Webhook) error {
	if strings.TrimSpace(w.Name) == "" {
		return newInvalidValueError("name", "write a name of 1 to 200 characters")
	}
	if err := s.svc.Subscribers.CheckURL(w.URL); err != nil {
		return newInvalidValueError("url", "%s", err)
	}
	for i, t := range w.EventTypes {
		switch {
		case !outbox.IsKnownType(t):
			return newInvalidValueError("event_types", "unknown event type; write some of %s", strings.Join(outbox.ListNames(), ", "))
		case slices.Index(w.EventTypes, t) < i:
			return newInvalidValueError("event_types", "%s appears twice; keep one", t)
		case w.Tenant != "" && isPlatformEvent(t):
			return newInvalidValueError("event_types", "%s concerns no tenant; omit tenant_id to subscribe to it", t)
		}
	}
	if len(w.EventTypes) == 0 {
		return newInvalidValueError("event_types", "name at least one type")
	}
	return nil
}

// Create creates a webhook.
func (s Webhooks) Create(ctx context.Context, who *auth.Actor, n NewWebhook) (Webhook, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.WebhooksWrite, n.TenantID)
	if err != nil {
		return Webhook{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return Webhook{}, err
	}
	w, err := s.build(s.svc.NewID(), tenant, &n)
	if err != nil {
		return Webhook{}, err
	}
	if w, err = s.svc.Store.Webhooks().Insert(ctx, w); err != nil {
		return Webhook{}, mapTaken(err, "webhook")
	}
	return viewWebhook(&w), s.svc.publishChange(ctx, who, created, "webhook", w.ID, w.Tenant, nil, viewWebhook(&w))
}

// build returns the record of a new webhook, if it may be stored.
func (s Webhooks) build(id, tenant string, n *NewWebhook) (store.Webhook, error) {
	w := store.Webhook{
		ID: id, Tenant: tenant, Name: n.Name, Format: cmp.Or(n.Format, outbox.FormatHeadgate), EventTypes: n.EventTypes,
		Enabled: n.Enabled == nil || *n.Enabled,
	}
	if err := s.setAddress(&w, n.URL, n.Secret); err != nil {
		return w, err
	}
	return w, s.check(&w)
}

// mapTaken turns the store's "exists" into a conflict of names.
func mapTaken(err error, what string) error {
	if errors.Is(err, store.ErrExists) {
		return newConflictError(CodeConflict, "a "+what+" of this name exists; choose another name")
	}
	return mapNotFound(err, what)
}

// List lists the webhooks of one tenant or of all.
func (s Webhooks) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[Webhook], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.WebhooksRead, tenant)
	if err != nil {
		return List[Webhook]{}, err
	}
	after, err := page.parseCursor()
	return List[Webhook]{
		Cursor: func(w Webhook) string { return formatCursor(w.CreatedAt, w.ID) },
		All:    viewRecords(s.svc.Store.Webhooks().ListByOwner(ctx, tenant, after, page.Limit), viewWebhook),
	}, err
}

// find returns a webhook for an actor with the permission p.
func (s Webhooks) find(ctx context.Context, who *auth.Actor, p auth.Permission, id string) (store.Webhook, error) {
	own, err := s.svc.authorize(ctx, who, p, "")
	if err != nil {
		return store.Webhook{}, err
	}
	w, err := s.svc.Store.Webhooks().Get(ctx, id)
	if err == nil && own != "" && w.Tenant != own {
		err = store.ErrNotFound
	}
	return w, mapNotFound(err, "webhook")
}

// Get returns a webhook.
func (s Webhooks) Get(ctx context.Context, who *auth.Actor, id string) (Webhook, error) {
	w, err := s.find(ctx, who, auth.WebhooksRead, id)
	if err != nil {
		return Webhook{}, err
	}
	return viewWebhook(&w), nil
}

func viewWebhook(w *store.Webhook) Webhook {
	v := Webhook{
		ID:         w.ID,
		Name:       w.Name,
		URL:        w.URL,
		Format:     w.Format,
		EventTypes: w.EventTypes,
		TenantID:   w.Tenant,
		Enabled:    w.Enabled,
		CreatedAt:  w.CreatedAt,
		UpdatedAt:  w.UpdatedAt,
	}
	if v.EventTypes == nil {
		v.EventTypes = []string{}
	}
	if !w.PreviousUntil.IsZero() {
		v.PreviousUntil = &w.PreviousUntil
	}
	return v
}
