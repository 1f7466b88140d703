package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// Secrets are the sealed secrets of a record that signs calls. The store cannot open them.
type Secrets struct {
	Secret        []byte
	Previous      []byte    // nil: none is being replaced
	PreviousUntil time.Time // when Previous stops signing
}

// Webhook is a subscription to events.
type Webhook struct {
	ID, Tenant, Name string // Tenant "": of the platform, which hears of every tenant
	URL              string
	Secrets
	EventTypes           []string
	Enabled              bool
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

type secretsRow struct {
	Secret        []byte        `db:"secret"`
	Previous      []byte        `db:"previous"`
	PreviousUntil sql.NullInt64 `db:"previous_until"`
}

type webhookRow struct {
	ID         string `db:"id"`
	TenantID   string `db:"tenant_id"`
	Name       string `db:"name"`
	URL        string `db:"url"`
	EventTypes string `db:"event_types"`
	Enabled    int64  `db:"enabled"`
	Version    int64  `db:"version"`
	CreatedAt  int64  `db:"created_at"`
	UpdatedAt  int64  `db:"updated_at"`
	secretsRow
}

func (s *Secrets) row() secretsRow {
	return secretsRow{Secret: s.Secret, Previous: s.Previous, PreviousUntil: micros(s.PreviousUntil)}
}

func (r *secretsRow) secrets() Secrets {
	return Secrets{Secret: r.Secret, Previous: r.Previous, PreviousUntil: instant(r.PreviousUntil)}
}

func (w *Webhook) row() (webhookRow, error) {
	types, err := json.Marshal(w.EventTypes)
	return webhookRow{
		ID: w.ID, TenantID: w.Tenant, Name: w.Name, URL: w.URL, EventTypes: string(types), Enabled: flag(w.Enabled), Version: w.Version,
		CreatedAt: w.CreatedAt.UnixMicro(), UpdatedAt: w.UpdatedAt.UnixMicro(), secretsRow: w.Secrets.row(),
	}, err
}

func (r *webhookRow) webhook() (Webhook, error) {
	w := Webhook{
		ID: r.ID, Tenant: r.TenantID, Name: r.Name, URL: r.URL, Secrets: r.secrets(), Enabled: r.Enabled != 0, Version: r.Version,
		CreatedAt: time.UnixMicro(r.CreatedAt).UTC(), UpdatedAt: time.UnixMicro(r.UpdatedAt).UTC(),
	}
	if err := json.Unmarshal([]byte(r.EventTypes), &w.EventTypes); err != nil {
		return Webhook{}, fmt.Errorf("event types of webhook %q: %w", r.ID, err)
	}
	return w, nil
}

// flag is a truth value as stored.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// stamp is the time of a change, as precise as it is stored.
func (db *DB) stamp() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// Insert adds a subscription and gives it as stored. A name that its tenant has already is ErrExists.
func (ws Webhooks) Insert(ctx context.Context, w Webhook) (Webhook, error) {
	w.Version, w.CreatedAt = 1, ws.db.stamp()
	w.UpdatedAt = w.CreatedAt
	row, err := w.row()
	if err == nil {
		err = ws.db.mutate(ctx, func(tx *Tx) (bool, error) {
			tx.changed("webhook", w.ID)
			_, err := tx.NamedExecContext(ctx, `
				INSERT INTO webhook (id, tenant_id, name, url, secret, previous, previous_until, event_types, enabled, version, created_at, updated_at)
				VALUES (:id, :tenant_id, :name, :url, :secret, :previous, :previous_until, :event_types, :enabled, :version, :created_at, :updated_at)`, row)
			return true, err
		})
	}
	if err != nil {
		return Webhook{}, fmt.Errorf("insert webhook: %w", err)
	}
	return w, nil
}

// Change hands a subscription to change and stores what that makes of it, in one transaction. An error of change
// leaves it as it is; an unknown id is ErrNotFound.
func (ws Webhooks) Change(ctx context.Context, id string, change func(w *Webhook) error) (Webhook, error) {
	var w Webhook
	err := ws.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row webhookRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM webhook WHERE id = ?", id); err != nil {
			return false, err
		}
		before, err := row.webhook()
		if err != nil {
			return false, err
		}
		w = before
		if err := change(&w); err != nil {
			return false, err
		}
		w.ID, w.CreatedAt, w.Version, w.UpdatedAt = before.ID, before.CreatedAt, before.Version+1, ws.db.later(before.UpdatedAt)
		if row, err = w.row(); err != nil {
			return false, err
		}
		tx.changed("webhook", id)
		_, err = tx.NamedExecContext(ctx, `
			UPDATE webhook SET tenant_id = :tenant_id, name = :name, url = :url, secret = :secret, previous = :previous,
				previous_until = :previous_until, event_types = :event_types, enabled = :enabled, version = :version, updated_at = :updated_at
			WHERE id = :id`, row)
		return true, err
	})
	if err != nil {
		return Webhook{}, fmt.Errorf("change webhook: %w", err)
	}
	return w, nil
}

// Delete ends a subscription, with what was still to be delivered to it and the log of what was. check, when set,
// may refuse in the same transaction.
func (ws Webhooks) Delete(ctx context.Context, id string, check func(w Webhook) error) error {
	err := ws.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row webhookRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM webhook WHERE id = ?", id); err != nil {
			return false, err
		}
		w, err := row.webhook()
		if err == nil && check != nil {
			err = check(w)
		}
		if err != nil {
			return false, err
		}
		tx.changed("webhook", id)
		_, err = tx.ExecContext(ctx, "DELETE FROM webhook WHERE id = ?", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete webhook: %w", err)
	}
	return nil
}

// Each lists the subscriptions of one tenant, or all with tenant "", behind a place.
func (ws Webhooks) Each(ctx context.Context, tenant string, after Cursor, limit int) iter.Seq2[Webhook, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]webhookRow, error) {
		if tenant == "" {
			return page[webhookRow](ctx, ws.db, "webhook", "", nil, after, n)
		}
		return page[webhookRow](ctx, ws.db, "webhook", "tenant_id = ?", []any{tenant}, after, n)
	}, func(r *webhookRow) (Webhook, Cursor, error) {
		w, err := r.webhook()
		return w, w.Cursor(), err
	})
}

// Cursor is the place behind the subscription in a list.
func (w *Webhook) Cursor() Cursor { return Cursor{w.CreatedAt, w.ID} }

// Get is one subscription; ErrNotFound when there is none with the id.
func (ws Webhooks) Get(ctx context.Context, id string) (Webhook, error) {
	var row webhookRow
	if err := ws.db.read.GetContext(ctx, &row, "SELECT * FROM webhook WHERE id = ?", id); err != nil {
		return Webhook{}, fmt.Errorf("read webhook: %w", named(err))
	}
	return row.webhook()
}

// Interest is a type of event that somebody has subscribed to, for one tenant or, with "", for all.
type Interest struct {
	Type   string
	Tenant string
}

// ListInterests are what enabled subscriptions want to hear of.
func (o Outbox) ListInterests(ctx context.Context) ([]Interest, error) {
	seen, list := map[Interest]bool{}, []Interest{}
	for w, err := range o.db.Webhooks().Each(ctx, "", Cursor{}, 0) {
		if err != nil {
			return nil, fmt.Errorf("list what webhooks want: %w", err)
		}
		for _, t := range w.EventTypes {
			if i := (Interest{t, w.Tenant}); w.Enabled && !seen[i] {
				seen[i], list = true, append(list, i)
			}
		}
	}
	return list, nil
}
