package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// Delivery is one event for one subscriber, as the delivery log shows it.
type Delivery struct {
	ID, Webhook, EventID, EventType, Tenant string
	State                                   string
	Attempts                                int
	Queued, Due                             time.Time
	Ended                                   time.Time // zero if not ended
	Calls                                   []Attempt // oldest first
}

// Attempt is one call of a delivery.
type Attempt struct {
	Attempt  int
	At       time.Time
	Status   int // 0 if there was no answer
	Duration time.Duration
	Error    string
}

// DeliveryFilter selects deliveries. An empty field matches all.
type DeliveryFilter struct {
	ID, Webhook, Tenant, State string
	Limit                      int // 0 means 100
}

type deliveryRow struct {
	ID        string        `db:"id"`
	WebhookID string        `db:"webhook_id"`
	EventID   string        `db:"event_id"`
	Type      string        `db:"type"`
	TenantID  string        `db:"tenant_id"`
	State     string        `db:"state"`
	Attempts  int           `db:"attempts"`
	QueuedAt  int64         `db:"queued_at"`
	DueAt     int64         `db:"due_at"`
	EndedAt   sql.NullInt64 `db:"ended_at"`
}

// List returns the newest deliveries that match a filter, each with its calls.
func (o Outbox) List(ctx context.Context, f DeliveryFilter) ([]Delivery, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	var rows []deliveryRow
	err := o.db.read.SelectContext(ctx, &rows, `
		SELECT d.id, d.webhook_id, d.event_id, e.type, e.tenant_id, d.state, d.attempts, d.queued_at, d.due_at, d.ended_at
		FROM webhook_delivery AS d JOIN webhook_event AS e ON e.id = d.event_id JOIN webhook AS w ON w.id = d.webhook_id
		WHERE (? = '' OR d.id = ?) AND (? = '' OR d.webhook_id = ?) AND (? = '' OR w.tenant_id = ?) AND (? = '' OR d.state = ?)
		ORDER BY d.queued_at DESC, d.id LIMIT ?`,
		f.ID, f.ID, f.Webhook, f.Webhook, f.Tenant, f.Tenant, f.State, f.State, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	list, at := make([]Delivery, len(rows)), make(map[string]int, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = Delivery{
			ID: r.ID, Webhook: r.WebhookID, EventID: r.EventID, EventType: r.Type, Tenant: r.TenantID, State: r.State, Attempts: r.Attempts,
			Queued: time.UnixMicro(r.QueuedAt).UTC(), Due: time.UnixMicro(r.DueAt).UTC(), Ended: convertToInstant(r.EndedAt),
		}
		at[r.ID], ids[i] = i, r.ID
	}
	if len(ids) == 0 {
		return list, nil
	}
	query, args, err := sqlx.In("SELECT * FROM webhook_attempt WHERE delivery_id IN (?) ORDER BY delivery_id, attempt", ids)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	var calls []struct {
		DeliveryID string `db:"delivery_id"`
		Attempt    int    `db:"attempt"`
		At         int64  `db:"at"`
		Status     int    `db:"status"`
		Duration   int64  `db:"duration"`
		Error      string `db:"error"`
	}
	if err := o.db.read.SelectContext(ctx, &calls, query, args...); err != nil {
		return nil, fmt.Errorf("list calls of deliveries: %w", err)
	}
	for _, c := range calls {
		d := &list[at[c.DeliveryID]]
		d.Calls = append(d.Calls, Attempt{
			Attempt:  c.Attempt,
			At:       time.UnixMicro(c.At).UTC(),
			Status:   c.Status,
			Duration: time.Duration(c.Duration) * time.Microsecond,
			Error:    c.Error,
		})
	}
	return list, nil
}

// Redeliver queues a delivery again, whether it was abandoned or accepted. check gets its subscription and may refuse.
// A pending delivery does not change. An unknown id is ErrNotFound.
func (o Outbox) Redeliver(ctx context.Context, id string, check func(w Webhook) error) error {
	now := o.db.now().UnixMicro()
	err := o.db.transact(ctx, func(tx *Tx) error {
		w, err := webhookTable.find(ctx, tx.bound, "id = (SELECT webhook_id FROM webhook_delivery WHERE id = ?)", id)
		if err == nil && check != nil {
			err = check(w)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE webhook_delivery SET state = 'pending', failures = 0, queued_at = ?, due_at = ?, lease = '', lease_until = 0, ended_at = NULL
			WHERE id = ? AND state <> 'pending'`, now, now, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("redeliver: %w", err)
	}
	return nil
}

// CountBacklog returns the number of pending and of abandoned deliveries.
func (o Outbox) CountBacklog(ctx context.Context) (pending, dead int64, err error) {
	var row struct {
		Pending int64 `db:"pending"`
		Dead    int64 `db:"dead"`
	}
	err = o.db.read.GetContext(ctx, &row, `
		SELECT (SELECT count(*) FROM webhook_delivery WHERE state = 'pending') AS pending, (SELECT count(*) FROM webhook_delivery WHERE state = 'dead') AS dead`)
	if err != nil {
		return 0, 0, fmt.Errorf("count deliveries: %w", err)
	}
	return row.Pending, row.Dead, nil
}
