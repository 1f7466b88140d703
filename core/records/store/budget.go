package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// BudgetRecord is a budget that was made by the administrative API.
type BudgetRecord struct {
	ID, Tenant, Key, Name string // Tenant and Key are ids; "": all
	Period                string // DAILY, WEEKLY or MONTHLY
	Limit                 int64  // units of 1e-10 USD
	SoftPct               int64  // 0: no soft limit
	Enabled               bool
	Version               int64     // set by the store, one more with each change
	CreatedAt, UpdatedAt  time.Time // set by the store
}

type budgetRow struct {
	ID        string        `db:"id"`
	Tenant    string        `db:"tenant_id"`
	Key       string        `db:"api_key_id"`
	Name      string        `db:"name"`
	Period    string        `db:"period"`
	Limit     int64         `db:"limit_usd"`
	SoftPct   int64         `db:"soft_pct"`
	Enabled   bool          `db:"enabled"`
	Version   int64         `db:"version"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	UpdatedAt sql.NullInt64 `db:"updated_at"`
}

func budgetRowOf(b *BudgetRecord) budgetRow {
	return budgetRow{
		ID: b.ID, Tenant: b.Tenant, Key: b.Key, Name: b.Name, Period: b.Period, Limit: b.Limit, SoftPct: b.SoftPct, Enabled: b.Enabled,
		Version: b.Version, CreatedAt: micros(b.CreatedAt), UpdatedAt: micros(b.UpdatedAt),
	}
}

func (r *budgetRow) record() BudgetRecord {
	return BudgetRecord{
		ID: r.ID, Tenant: r.Tenant, Key: r.Key, Name: r.Name, Period: r.Period, Limit: r.Limit, SoftPct: r.SoftPct, Enabled: r.Enabled,
		Version: r.Version, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

// Insert adds a budget as version 1.
func (bs Budgets) Insert(ctx context.Context, b BudgetRecord) (BudgetRecord, error) {
	b.Version, b.CreatedAt = 1, bs.db.now().UTC().Truncate(time.Microsecond)
	b.UpdatedAt = b.CreatedAt
	err := bs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO budget (id, tenant_id, api_key_id, name, period, limit_usd, soft_pct, enabled, version, created_at, updated_at)
			VALUES (:id, :tenant_id, :api_key_id, :name, :period, :limit_usd, :soft_pct, :enabled, :version, :created_at, :updated_at)`, budgetRowOf(&b))
		tx.changed("budget", b.ID)
		return true, err
	})
	if err != nil {
		return b, fmt.Errorf("insert budget: %w", err)
	}
	return b, nil
}

// Change hands a budget to change and stores what that makes of it as its next version, in one transaction. An
// error of change leaves the budget as it is; an unknown id is ErrNotFound.
func (bs Budgets) Change(ctx context.Context, id string, change func(b *BudgetRecord) error) (BudgetRecord, error) {
	var b BudgetRecord
	err := bs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row budgetRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM budget WHERE id = ?", id); err != nil {
			return false, err
		}
		before := row.record()
		b = before
		if err := change(&b); err != nil {
			return false, err
		}
		b.ID, b.Version, b.CreatedAt, b.UpdatedAt = id, before.Version+1, before.CreatedAt, bs.db.now().UTC().Truncate(time.Microsecond)
		_, err := tx.NamedExecContext(ctx, `
			UPDATE budget SET name = :name, period = :period, limit_usd = :limit_usd, soft_pct = :soft_pct, enabled = :enabled,
				version = :version, updated_at = :updated_at
			WHERE id = :id`, budgetRowOf(&b))
		tx.changed("budget", id)
		return true, err
	})
	if err != nil {
		return BudgetRecord{}, fmt.Errorf("change budget: %w", err)
	}
	return b, nil
}

// Delete removes a budget unless check objects; ErrNotFound when there is none with the id.
func (bs Budgets) Delete(ctx context.Context, id string, check func(b BudgetRecord) error) error {
	err := bs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row budgetRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM budget WHERE id = ?", id); err != nil {
			return false, err
		}
		if err := check(row.record()); err != nil {
			return false, err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM budget WHERE id = ?", id)
		tx.changed("budget", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete budget: %w", err)
	}
	return nil
}

// List are all budgets, in the order of their making.
func (bs Budgets) List(ctx context.Context) ([]BudgetRecord, error) {
	var rows []budgetRow
	if err := bs.db.read.SelectContext(ctx, &rows, "SELECT * FROM budget ORDER BY created_at, id"); err != nil {
		return nil, fmt.Errorf("list budgets: %w", err)
	}
	list := make([]BudgetRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Get is one budget; ErrNotFound when there is none with the id.
func (bs Budgets) Get(ctx context.Context, id string) (BudgetRecord, error) {
	var row budgetRow
	if err := bs.db.read.GetContext(ctx, &row, "SELECT * FROM budget WHERE id = ?", id); err != nil {
		return BudgetRecord{}, fmt.Errorf("read budget: %w", named(err))
	}
	return row.record(), nil
}
