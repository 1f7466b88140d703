package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// LeasedDelivery is a delivery that only this node sends until its lease expires.
type LeasedDelivery struct {
	ID       string
	Attempt  int       // counts from 1, across redeliveries
	Failures int       // consecutive, since it was queued or redelivered
	Queued   time.Time // when it was queued or redelivered
	Event    WebhookEvent
}

// CountDue returns the enabled subscriptions with due deliveries, and their number.
func (o Outbox) CountDue(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		ID string `db:"webhook_id"`
		N  int    `db:"n"`
	}
	now := o.db.now().UnixMicro()
	err := o.db.read.SelectContext(ctx, &rows, `
		SELECT d.webhook_id, count(*) AS n FROM webhook_delivery AS d JOIN webhook AS w ON w.id = d.webhook_id
		WHERE d.state = 'pending' AND d.due_at <= ? AND d.lease_until <= ? AND w.enabled = 1 GROUP BY d.webhook_id`, now, now)
	if err != nil {
		return nil, fmt.Errorf("find deliveries: %w", err)
	}
	due := make(map[string]int, len(rows))
	for _, r := range rows {
		due[r.ID] = r.N
	}
	return due, nil
}

type leasedRow struct {
	ID       string `db:"id"`
	Attempts int    `db:"attempts"`
	Failures int    `db:"failures"`
	QueuedAt int64  `db:"queued_at"`
	EventID  string `db:"event_id"`
	Type     string `db:"type"`
	TenantID string `db:"tenant_id"`
	Data     string `db:"data"`
	At       int64  `db:"at"`
}

// Lease takes up to limit deliveries of a subscription, most overdue first, for the node identified by lease, and
// returns the current subscription. Each delivery counts as attempted as soon as it is leased, because a node that is
// killed may have sent it. A disabled or deleted subscription has no deliveries.
func (o Outbox) Lease(
	ctx context.Context,
	webhook, lease string,
	until time.Time,
	limit int,
) (w Webhook, list []LeasedDelivery, err error) {
	now := o.db.now().UnixMicro()
	var rows []leasedRow
	err = o.db.transact(ctx, func(tx *Tx) error {
		if w, err = webhookTable.find(ctx, tx.bound, "id = ? AND enabled = 1", webhook); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		var taken []string
		// Rows that another node is taking or settling are left to it: waiting for them in the order of due_at, while
		// that node waits in another order, is a deadlock.
		err := tx.SelectContext(ctx, &taken, `
			WITH due AS (
				SELECT id FROM webhook_delivery
				WHERE webhook_id = ? AND state = 'pending' AND due_at <= ? AND lease_until <= ? ORDER BY due_at, id LIMIT ?`+
			tx.buildSkipLockedClause()+`)
			UPDATE webhook_delivery SET lease = ?, lease_until = ?, attempts = attempts + 1
			WHERE id IN (SELECT id FROM due)
			RETURNING id`, webhook, now, now, limit, lease, until.UnixMicro())
		if err != nil || len(taken) == 0 {
			return err
		}
		query, args, err := sqlx.In(`
			SELECT d.id, d.attempts, d.failures, d.queued_at, d.event_id, e.type, e.tenant_id, e.data, e.at
			FROM webhook_delivery AS d JOIN webhook_event AS e ON e.id = d.event_id WHERE d.id IN (?) ORDER BY e.at, d.id`, taken)
		if err != nil {
			return err
		}
		return tx.SelectContext(ctx, &rows, query, args...)
	})
	if err != nil {
		return Webhook{}, nil, fmt.Errorf("take deliveries: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		list = append(list, LeasedDelivery{
			ID: r.ID, Attempt: r.Attempts, Failures: r.Failures, Queued: time.UnixMicro(r.QueuedAt).UTC(),
			Event: WebhookEvent{ID: r.EventID, Type: r.Type, Tenant: r.TenantID, Data: r.Data, At: time.UnixMicro(r.At).UTC()},
		})
	}
	return w, list, nil
}

// DeliveryResult is the result of one call.
type DeliveryResult struct {
	ID, Webhook, Lease string
	Attempt            int
	At                 time.Time
	Status             int // 0 if there was no answer
	Duration           time.Duration
	Error              string // without the subscriber's text; "" if it was accepted
	State              string
	Due                time.Time // next attempt, if State is pending
	// Unsent is true if the call was not made or was cancelled. It does not count as a failure.
	Unsent bool
}

// SaveResults stores the results of calls. If a lease expired and another node took the delivery, it leaves the
// delivery to that node but logs the attempt. It sorts results by ID, so that two nodes lock the same rows in the same
// order.
func (o Outbox) SaveResults(ctx context.Context, results []DeliveryResult) error {
	slices.SortFunc(results, func(a, b DeliveryResult) int { return strings.Compare(a.ID, b.ID) })
	err := o.db.transact(ctx, func(tx *Tx) error {
		for i := range results {
			if err := saveResult(ctx, tx, &results[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("book deliveries: %w", err)
	}
	return nil
}

func saveResult(ctx context.Context, tx *Tx, r *DeliveryResult) error {
	var ended sql.NullInt64
	if r.State != DeliveryPending {
		ended = convertToMicros(r.At.Add(r.Duration))
	}
	failed := convertFlag(r.Error != "" && !r.Unsent)
	_, err := tx.ExecContext(ctx, `
		UPDATE webhook_delivery SET state = ?, due_at = ?, lease = '', lease_until = 0, failures = failures + ?, ended_at = ?
		WHERE id = ? AND lease = ? AND state = 'pending'`,
		r.State, r.Due.UnixMicro(), failed, ended, r.ID, r.Lease)
	if err != nil {
		return err
	}
	// A subscription that was deleted meanwhile has deleted its deliveries.
	_, err = tx.ExecContext(ctx, `
		INSERT INTO webhook_attempt (delivery_id, attempt, at, status, duration, error)
		SELECT CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT)
		WHERE EXISTS (SELECT 1 FROM webhook_delivery WHERE id = ?)
		ON CONFLICT DO NOTHING`,
		r.ID, r.Attempt, r.At.UnixMicro(), r.Status, r.Duration.Microseconds(), r.Error, r.ID)
	return err
}
