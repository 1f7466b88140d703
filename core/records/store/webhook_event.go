package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// WebhookEvent is an event that webhooks can subscribe to.
type WebhookEvent struct {
	ID     string // "" lets the store generate one
	Type   string
	Tenant string // "" if it concerns no single tenant
	Data   string // a JSON object
	At     time.Time
}

// The states of a delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryDead      = "dead" // abandoned; can be redelivered
)

// InsertEvents adds events to the outbox with one delivery per subscriber. It skips events without subscribers.
func (o Outbox) InsertEvents(ctx context.Context, events []WebhookEvent) error {
	err := o.db.transact(ctx, func(tx *Tx) error {
		for i := range events {
			if err := insertEvent(ctx, tx, &events[i], o.db.now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("insert webhook events: %w", err)
	}
	return nil
}

// insertEvent is InsertEvents for one event within the transaction of the change that it describes.
func insertEvent(ctx context.Context, tx *Tx, e *WebhookEvent, now time.Time) error {
	var to []string
	err := tx.SelectContext(ctx, &to, `
		SELECT id FROM webhook
		WHERE enabled = 1 AND (tenant_id = '' OR tenant_id = ?) AND event_types LIKE ? ESCAPE '!' ORDER BY id`,
		e.Tenant, `%"`+strings.ReplaceAll(e.Type, "_", "!_")+`"%`) // subscriptions are few
	if err != nil || len(to) == 0 {
		return err
	}
	id, at := e.ID, e.At
	if id == "" {
		id = makeRandomID()
	}
	if at.IsZero() {
		at = now
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO webhook_event (id, type, tenant_id, data, at) VALUES (?, ?, ?, ?, ?)",
		id, e.Type, e.Tenant, e.Data, at.UnixMicro())
	if err != nil {
		return err
	}
	for _, w := range to {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO webhook_delivery (id, webhook_id, event_id, state, queued_at, due_at) VALUES (?, ?, ?, ?, ?, ?)`,
			makeRandomID(), w, id, DeliveryPending, now.UnixMicro(), now.UnixMicro())
		if err != nil {
			return err
		}
	}
	return nil
}

// makeRandomID returns an id that cannot be guessed and that no other node creates.
func makeRandomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // rand.Read never fails; it ends the program instead
	return hex.EncodeToString(b[:])
}

// Prune removes deliveries that ended before the given times and events without deliveries, up to limit of each, and
// returns the number of removed deliveries.
func (o Outbox) Prune(ctx context.Context, delivered, dead time.Time, limit int) (removed int, err error) {
	err = o.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, `
			DELETE FROM webhook_delivery WHERE id IN (
				SELECT id FROM webhook_delivery
				WHERE ended_at IS NOT NULL AND (state = ? AND ended_at < ? OR state = ? AND ended_at < ?) LIMIT ?)`,
			DeliveryDelivered, delivered.UnixMicro(), DeliveryDead, dead.UnixMicro(), limit)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		removed = int(n)
		_, err = tx.ExecContext(ctx, `
			DELETE FROM webhook_event WHERE id IN (
				SELECT e.id FROM webhook_event AS e
				WHERE e.at < ? AND NOT EXISTS (SELECT 1 FROM webhook_delivery AS d WHERE d.event_id = e.id) LIMIT ?)`,
			delivered.UnixMicro(), limit)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("prune webhook deliveries: %w", err)
	}
	return removed, nil
}
