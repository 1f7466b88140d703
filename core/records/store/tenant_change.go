package store

import (
	"context"
	"fmt"
	"iter"
)

// Get is one tenant; ErrNotFound when there is none with the id.
func (ts Tenants) Get(ctx context.Context, id string) (Tenant, error) {
	var row tenantRow
	if err := ts.db.read.GetContext(ctx, &row, "SELECT * FROM tenant WHERE id = ?", id); err != nil {
		return Tenant{}, fmt.Errorf("read tenant: %w", named(err))
	}
	return row.tenant()
}

// Each lists tenants behind a place, in the order of their making; a limit of 0 is none. An error ends the list.
func (ts Tenants) Each(ctx context.Context, after Cursor, limit int) iter.Seq2[Tenant, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]tenantRow, error) {
		return page[tenantRow](ctx, ts.db, "tenant", "", nil, after, n)
	}, func(r *tenantRow) (Tenant, Cursor, error) {
		t, err := r.tenant()
		return t, t.Cursor(), err
	})
}

// Cursor is the place behind the tenant.
func (t *Tenant) Cursor() Cursor { return Cursor{t.CreatedAt, t.ID} }

// Insert adds a tenant. An id that is there already is ErrExists.
func (ts Tenants) Insert(ctx context.Context, t Tenant) error {
	row, err := t.row(ts.db.now())
	if err == nil {
		err = ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
			tx.changed("tenant", t.ID)
			return true, tx.insertTenant(ctx, &row)
		})
	}
	if err != nil {
		return fmt.Errorf("insert tenant: %w", err)
	}
	return nil
}

func (tx *Tx) insertTenant(ctx context.Context, row *tenantRow) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO tenant (id, name, status, region, tier, metadata, tags, source, created_at, updated_at)
		VALUES (:id, :name, :status, :region, :tier, :metadata, :tags, :source, :created_at, :updated_at)`, row)
	return err
}

// Change hands a tenant to change and stores what that makes of it, in one transaction. Its id and the time of its
// making stay. An error of change leaves the tenant as it is; an unknown id is ErrNotFound. It gives the tenant as it is
// then; one that did not change keeps its UpdatedAt.
func (ts Tenants) Change(ctx context.Context, id string, change func(t *Tenant) error) (Tenant, error) {
	var t Tenant
	err := ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var before tenantRow
		err := tx.GetContext(ctx, &before, "SELECT * FROM tenant WHERE id = ?", id)
		if err != nil {
			return false, err
		}
		if t, err = before.tenant(); err != nil {
			return false, err
		}
		made, changed := t.CreatedAt, t.UpdatedAt
		if err := change(&t); err != nil {
			return false, err
		}
		t.ID, t.CreatedAt, t.UpdatedAt = id, made, changed
		row, err := t.row(made)
		if err != nil {
			return false, err
		}
		if row.UpdatedAt = before.UpdatedAt; row == before {
			return false, nil
		}
		t.UpdatedAt = ts.db.later(changed)
		row.UpdatedAt = micros(t.UpdatedAt)
		_, err = tx.NamedExecContext(ctx, `
			UPDATE tenant SET name = :name, status = :status, region = :region, tier = :tier, metadata = :metadata,
				tags = :tags, source = :source, updated_at = :updated_at
			WHERE id = :id`, row)
		tx.changed("tenant", id)
		return true, err
	})
	if err != nil {
		return Tenant{}, fmt.Errorf("change tenant: %w", err)
	}
	return t, nil
}
