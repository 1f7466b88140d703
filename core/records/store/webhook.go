package store

import (
	"context"
	"fmt"
	"time"
)

// Secrets are the sealed signing secrets of a record. The store cannot open them.
type Secrets struct {
	Secret        []byte
	Previous      []byte    // nil unless the secret is being rotated
	PreviousUntil time.Time // when Previous stops signing
}

func (s *Secrets) listFields() []field {
	return []field{
		{column: "secret", at: &s.Secret},
		{column: "previous", at: &s.Previous},
		{column: "previous_until", at: newInstantCodec(&s.PreviousUntil)},
	}
}

// Webhook is a subscription to events. The name is unique within its tenant.
type Webhook struct {
	ID, Tenant, Name string // Tenant "" is the platform, which receives the events of every tenant
	URL              string
	Format           string // of the calls: one of outbox.ListFormats; see there for which of them the secret is the URL
	Secrets
	EventTypes           []string
	Enabled              bool
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

var webhookTable = newTable(table[Webhook]{
	name: "webhook", noun: "webhook", kind: "webhook", owner: "tenant_id",
	head: func(w *Webhook) head { return head{&w.ID, &w.Version, &w.CreatedAt, &w.UpdatedAt} },
	fields: func(w *Webhook) []field {
		return append(w.Secrets.listFields(),
			newFixedField("id", &w.ID),
			field{column: "tenant_id", at: &w.Tenant},
			field{column: "name", at: &w.Name},
			field{column: "url", at: &w.URL},
			newFixedField("format", &w.Format),
			field{column: "event_types", at: newJSONCodec(&w.EventTypes)},
			field{column: "enabled", at: &w.Enabled},
			field{column: "version", at: &w.Version},
			newFixedField("created_at", newInstantCodec(&w.CreatedAt)),
			field{column: "updated_at", at: newInstantCodec(&w.UpdatedAt)},
		)
	},
})

// Webhooks returns the webhooks. Deleting one also deletes its deliveries, pending and logged.
func (db *DB) Webhooks() Records[Webhook] { return Records[Webhook]{db, webhookTable} }

// Cursor is the place of the webhook in a list.
func (w *Webhook) Cursor() Cursor { return Cursor{w.CreatedAt, w.ID} }

// Interest is an event type that at least one webhook subscribes to, for one tenant or, with "", for all.
type Interest struct {
	Type   string
	Tenant string
}

// ListInterests returns what enabled webhooks subscribe to.
func (o Outbox) ListInterests(ctx context.Context) ([]Interest, error) {
	seen, list := map[Interest]bool{}, []Interest{}
	for w, err := range o.db.Webhooks().Iterate(ctx, Cursor{}, 0) {
		if err != nil {
			return nil, fmt.Errorf("list the subscriptions of webhooks: %w", err)
		}
		for _, t := range w.EventTypes {
			if i := (Interest{t, w.Tenant}); w.Enabled && !seen[i] {
				seen[i], list = true, append(list, i)
			}
		}
	}
	return list, nil
}
