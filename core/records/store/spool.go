package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// A node's database is also its spool. The unsent records are those with higher numbers than the control plane reports
// to have. The node itself tracks nothing that could become inconsistent.

type spooledUsage struct {
	ID             int64          `db:"id"`
	At             int64          `db:"at"`
	ExchangeID     string         `db:"exchange_id"`
	Tenant         string         `db:"tenant_id"`
	KeyID          string         `db:"key_id"`
	EndUser        sql.NullString `db:"end_user"`
	Dialect        string         `db:"dialect"`
	ModelRequested string         `db:"model_requested"`
	Provider       string         `db:"provider"`
	Model          string         `db:"model"`
	Outcome        string         `db:"outcome"`
	Status         int            `db:"status"`
	Streamed       int64          `db:"streamed"`
	Input          sql.NullInt64  `db:"input_tokens"`
	Output         sql.NullInt64  `db:"output_tokens"`
	Cached         sql.NullInt64  `db:"cached_tokens"`
	Reasoning      sql.NullInt64  `db:"reasoning_tokens"`
	Estimated      sql.NullInt64  `db:"estimated"`
	Cost           sql.NullInt64  `db:"cost"`
	InputCost      sql.NullInt64  `db:"input_cost"`
	PriceID        string         `db:"pricing_id"`
	Latency        sql.NullInt64  `db:"latency_ms"`
	FirstByte      sql.NullInt64  `db:"ttfb_ms"`
	BlockedBy      sql.NullString `db:"blocked_by"`
}

// ListUsageAfter returns up to limit usage records behind a number, in order, and the number of the last one.
func (f Fleet) ListUsageAfter(ctx context.Context, number int64, limit int) (list []UsageRecord, last int64, err error) {
	var rows []spooledUsage
	if err := f.db.read.SelectContext(ctx, &rows, `SELECT x.*, r.blocked_by FROM usage_exchange AS x JOIN usage_record AS r ON r.id = x.id
		WHERE x.id > ? ORDER BY x.id LIMIT ?`, number, limit); err != nil {
		return nil, 0, fmt.Errorf("read usage records: %w", err)
	}
	last = number
	for i := range rows {
		list, last = append(list, rows[i].convertRecord()), rows[i].ID
	}
	return list, last, nil
}

func (r *spooledUsage) convertRecord() UsageRecord {
	return UsageRecord{
		ExchangeID: r.ExchangeID, Tenant: r.Tenant, KeyID: r.KeyID, EndUser: r.EndUser.String, Dialect: r.Dialect,
		ModelRequested: r.ModelRequested, Provider: r.Provider, Model: r.Model, Outcome: r.Outcome, BlockedBy: r.BlockedBy.String,
		Status: r.Status,
		Input:  r.Input.Int64, Output: r.Output.Int64, Cached: r.Cached.Int64, Reasoning: r.Reasoning.Int64,
		Estimated: r.Estimated.Int64 != 0, Counted: r.Input.Valid && r.Estimated.Int64 == 0, Streamed: r.Streamed != 0,
		Cost: r.Cost.Int64, Priced: r.Cost.Valid, InputCost: r.InputCost.Int64, PriceID: r.PriceID,
		Latency: time.Duration(r.Latency.Int64) * time.Millisecond, FirstByte: time.Duration(r.FirstByte.Int64) * time.Millisecond,
		At: time.UnixMicro(r.At).UTC(),
	}
}

// ListShadowEventsAfter returns up to limit shadow events behind a number, in order, and the number of the last one.
func (f Fleet) ListShadowEventsAfter(ctx context.Context, number int64, limit int) (list []policydoc.ShadowEvent, last int64, err error) {
	var rows []shadowRow
	if err := f.db.read.SelectContext(
		ctx,
		&rows,
		"SELECT * FROM policy_shadow_event WHERE id > ? ORDER BY id LIMIT ?",
		number,
		limit,
	); err != nil {
		return nil, 0, fmt.Errorf("read shadow events: %w", err)
	}
	last = number
	for i := range rows {
		list, last = append(list, rows[i].convertEvent()), rows[i].ID
	}
	return list, last, nil
}

// TrimSent deletes usage records and shadow events up to the numbers and older than before. It keeps the newest usage
// record, so that its number is not reused. It reports whether there may be more to delete.
func (f Fleet) TrimSent(ctx context.Context, usage, shadow int64, before time.Time) (more bool, err error) {
	const most = 5000 // traffic waits for this transaction
	err = f.db.transact(ctx, func(tx *Tx) error {
		for _, s := range []struct {
			table string
			upto  int64
		}{{"usage_record", usage}, {"policy_shadow_event", shadow}} {
			res, err := tx.ExecContext(ctx, "DELETE FROM "+s.table+" WHERE id IN (SELECT id FROM "+s.table+
				" WHERE id <= ? AND id < (SELECT max(id) FROM "+s.table+") ORDER BY id LIMIT ?) AND at < ?", s.upto, most, before.UnixMicro())
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			more = more || n == most
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("delete records that were handed over: %w", err)
	}
	return more, nil
}
