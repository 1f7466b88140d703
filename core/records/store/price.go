package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// PriceRecord is an entry of the price list. Prices are in units of 1e-10 USD for a million tokens.
type PriceRecord struct {
	ID, Model, Provider        string // Model is a name or a glob
	Input, Output              int64
	Cached, Written, Reasoning int64 // negative: as Input and Output
	BatchPct                   int64 // what batches are charged of the prices, in per cent; 0: all
	Effective                  time.Time
	CreatedAt, UpdatedAt       time.Time // set by the store
}

type priceRow struct {
	ID        string        `db:"id"`
	Model     string        `db:"model"`
	Provider  string        `db:"provider"`
	Input     int64         `db:"input"`
	Output    int64         `db:"output"`
	Cached    sql.NullInt64 `db:"cached"`
	Written   sql.NullInt64 `db:"written"`
	Reasoning sql.NullInt64 `db:"reasoning"`
	BatchPct  sql.NullInt64 `db:"batch_pct"`
	Effective sql.NullInt64 `db:"effective_at"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	UpdatedAt sql.NullInt64 `db:"updated_at"`
}

func priceRowOf(p *PriceRecord) priceRow {
	set := func(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: n >= 0} }
	return priceRow{
		ID: p.ID, Model: p.Model, Provider: p.Provider, Input: p.Input, Output: p.Output, Cached: set(p.Cached), Written: set(p.Written),
		Reasoning: set(p.Reasoning), BatchPct: sql.NullInt64{Int64: p.BatchPct, Valid: p.BatchPct > 0},
		Effective: micros(p.Effective), CreatedAt: micros(p.CreatedAt), UpdatedAt: micros(p.UpdatedAt),
	}
}

func (r *priceRow) record() PriceRecord {
	get := func(n sql.NullInt64) int64 {
		if !n.Valid {
			return -1
		}
		return n.Int64
	}
	return PriceRecord{
		ID: r.ID, Model: r.Model, Provider: r.Provider, Input: r.Input, Output: r.Output, Cached: get(r.Cached), Written: get(r.Written),
		Reasoning: get(r.Reasoning), BatchPct: r.BatchPct.Int64,
		Effective: instant(r.Effective), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

// Insert adds an entry. Without a date it is in force from now on.
func (ps Prices) Insert(ctx context.Context, p PriceRecord) (PriceRecord, error) {
	p.CreatedAt = ps.db.now().UTC().Truncate(time.Microsecond)
	p.UpdatedAt = p.CreatedAt
	if p.Effective.IsZero() {
		p.Effective = p.CreatedAt
	}
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO price (id, model, provider, input, output, cached, written, reasoning, batch_pct, effective_at, created_at, updated_at)
			VALUES (:id, :model, :provider, :input, :output, :cached, :written, :reasoning, :batch_pct, :effective_at, :created_at, :updated_at)`, priceRowOf(&p))
		tx.changed("price", p.ID)
		return true, err
	})
	if err != nil {
		return p, fmt.Errorf("insert price: %w", err)
	}
	return p, nil
}

// Change hands an entry to change and stores what that makes of it, in one transaction. An error of change leaves
// the entry as it is; an unknown id is ErrNotFound.
func (ps Prices) Change(ctx context.Context, id string, change func(p *PriceRecord) error) (PriceRecord, error) {
	var p PriceRecord
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row priceRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM price WHERE id = ?", id); err != nil {
			return false, err
		}
		before := row.record()
		p = before
		if err := change(&p); err != nil {
			return false, err
		}
		p.ID, p.CreatedAt, p.UpdatedAt = id, before.CreatedAt, ps.db.now().UTC().Truncate(time.Microsecond)
		_, err := tx.NamedExecContext(ctx, `
			UPDATE price SET model = :model, provider = :provider, input = :input, output = :output, cached = :cached,
				written = :written, reasoning = :reasoning, batch_pct = :batch_pct, effective_at = :effective_at, updated_at = :updated_at
			WHERE id = :id`, priceRowOf(&p))
		tx.changed("price", id)
		return true, err
	})
	if err != nil {
		return PriceRecord{}, fmt.Errorf("change price: %w", err)
	}
	return p, nil
}

// Delete removes an entry unless check objects; ErrNotFound when there is none with the id. Costs that were reckoned
// with it stay.
func (ps Prices) Delete(ctx context.Context, id string, check func(p PriceRecord) error) error {
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row priceRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM price WHERE id = ?", id); err != nil {
			return false, err
		}
		if err := check(row.record()); err != nil {
			return false, err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM price WHERE id = ?", id)
		tx.changed("price", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete price: %w", err)
	}
	return nil
}

// List are all entries, in the order of their making.
func (ps Prices) List(ctx context.Context) ([]PriceRecord, error) {
	var rows []priceRow
	if err := ps.db.read.SelectContext(ctx, &rows, "SELECT * FROM price ORDER BY created_at, id"); err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	list := make([]PriceRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Get is one entry; ErrNotFound when there is none with the id.
func (ps Prices) Get(ctx context.Context, id string) (PriceRecord, error) {
	var row priceRow
	if err := ps.db.read.GetContext(ctx, &row, "SELECT * FROM price WHERE id = ?", id); err != nil {
		return PriceRecord{}, fmt.Errorf("read price: %w", named(err))
	}
	return row.record(), nil
}
