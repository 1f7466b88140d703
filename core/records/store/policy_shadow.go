package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// shadowKept is how long shadow events are kept: the longest period of the statistics plus a day.
const shadowKept = 8 * 24 * time.Hour

type shadowRow struct {
	ID         int64         `db:"id"`
	PolicyID   string        `db:"policy_id"`
	RuleID     string        `db:"rule_id"`
	RequestID  string        `db:"request_id"`
	TenantID   string        `db:"tenant_id"`
	Model      string        `db:"model"`
	Active     string        `db:"active"`
	Shadow     string        `db:"shadow"`
	Divergence string        `db:"divergence"`
	At         sql.NullInt64 `db:"at"`
}

// ShadowEvent is a stored event.
type ShadowEvent struct {
	ID int64 `json:"id"`
	policydoc.ShadowEvent
}

// Insert adds events and deletes those that are too old. It omits late events of a policy that is no longer in shadow
// mode.
func (es ShadowEvents) Insert(ctx context.Context, events []policydoc.ShadowEvent) error {
	rows := buildShadowRows(events)
	err := es.db.transact(ctx, func(tx *Tx) error { return tx.insertShadow(ctx, es.db.now(), rows) })
	if err != nil {
		return fmt.Errorf("insert shadow events: %w", err)
	}
	return nil
}

func buildShadowRows(events []policydoc.ShadowEvent) []shadowRow {
	rows := make([]shadowRow, len(events))
	for i := range events {
		e := &events[i]
		rows[i] = shadowRow{
			PolicyID: e.Policy, RuleID: e.Rule, RequestID: e.Request, TenantID: e.Tenant, Model: e.Model,
			Active: e.Active, Shadow: e.Shadow, Divergence: e.Divergence, At: convertToMicros(e.At),
		}
	}
	return rows
}

func (r *shadowRow) convertEvent() policydoc.ShadowEvent {
	return policydoc.ShadowEvent{
		Policy: r.PolicyID, Rule: r.RuleID, Request: r.RequestID, Tenant: r.TenantID, Model: r.Model,
		Active: r.Active, Shadow: r.Shadow, Diverged: r.Divergence != "", Divergence: r.Divergence, At: convertToInstant(r.At),
	}
}

func (tx *Tx) insertShadow(ctx context.Context, now time.Time, rows []shadowRow) error {
	if err := tx.holdPolicies(ctx, rows); err != nil {
		return err
	}
	for i := range rows {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO policy_shadow_event (policy_id, rule_id, request_id, tenant_id, model, active, shadow, divergence, at)
			SELECT :policy_id, :rule_id, :request_id, :tenant_id, :model, :active, :shadow, :divergence, :at
			WHERE NOT EXISTS (SELECT 1 FROM policy WHERE id = :policy_id AND status <> 'SHADOW')`, &rows[i])
		if err != nil {
			return err
		}
	}
	// The oldest events have the lowest ids, so this scans few rows.
	_, err := tx.ExecContext(ctx, `
		DELETE FROM policy_shadow_event WHERE id IN
			(SELECT id FROM policy_shadow_event ORDER BY id LIMIT 1000) AND at < ?`, convertToMicros(now.Add(-shadowKept)))
	return err
}

// holdPolicies keeps the status of the policies of events until the transaction ends. On PostgreSQL, where transactions overlap, an
// event could otherwise be inserted while its policy leaves shadow mode and its events are deleted.
func (tx *Tx) holdPolicies(ctx context.Context, rows []shadowRow) error {
	if !tx.postgres {
		return nil
	}
	var ids []string
	for i := range rows {
		ids = append(ids, rows[i].PolicyID)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM policy WHERE id = ? FOR SHARE", id); err != nil {
			return err
		}
	}
	return nil
}

// List returns the newest events of a policy in a tenant's traffic; "" selects all tenants.
func (es ShadowEvents) List(ctx context.Context, policy, tenant string, diverged bool, limit int) ([]ShadowEvent, error) {
	var rows []shadowRow
	err := es.db.read.SelectContext(ctx, &rows, `
		SELECT * FROM policy_shadow_event WHERE policy_id = ? AND (? = '' OR tenant_id = ?)
			AND CASE WHEN divergence = '' THEN 0 ELSE 1 END = ? ORDER BY id DESC LIMIT ?`, policy, tenant, tenant, diverged, limit)
	if err != nil {
		return nil, fmt.Errorf("list shadow events: %w", err)
	}
	list := make([]ShadowEvent, len(rows))
	for i, r := range rows {
		list[i] = ShadowEvent{r.ID, r.convertEvent()}
	}
	return list, nil
}

// ShadowCount counts one kind of divergence of a rule. Both are empty for evaluations that did not diverge.
type ShadowCount struct {
	Rule       string `db:"rule_id"`
	Divergence string `db:"divergence"`
	Count      int64  `db:"n"`
}

// Count counts the events of a policy in a tenant's traffic since a time, by rule and kind; "" selects all tenants.
func (es ShadowEvents) Count(ctx context.Context, policy, tenant string, since time.Time) ([]ShadowCount, error) {
	list := []ShadowCount{}
	err := es.db.read.SelectContext(ctx, &list, `
		SELECT CASE WHEN divergence = '' THEN '' ELSE rule_id END AS rule_id, divergence, count(*) AS n FROM policy_shadow_event
		WHERE policy_id = ? AND (? = '' OR tenant_id = ?) AND at >= ? GROUP BY 1, 2 ORDER BY n DESC, 1, 2`, policy, tenant, tenant, convertToMicros(since))
	if err != nil {
		return nil, fmt.Errorf("count shadow events: %w", err)
	}
	return list, nil
}

// Delete deletes the events of a policy.
func (es ShadowEvents) Delete(ctx context.Context, policy string) error {
	return es.db.exec(ctx, "delete shadow events", "DELETE FROM policy_shadow_event WHERE policy_id = ?", policy)
}
