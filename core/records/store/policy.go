package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// policyVersions is how many versions of a policy are kept.
const policyVersions = 50

type policyRow struct {
	ID          string        `db:"id"`
	TenantID    string        `db:"tenant_id"`
	Name        string        `db:"name"`
	Description string        `db:"description"`
	DSL         string        `db:"dsl"`
	Status      string        `db:"status"`
	Version     int64         `db:"version"`
	Source      string        `db:"source"`
	CreatedAt   sql.NullInt64 `db:"created_at"`
	UpdatedAt   sql.NullInt64 `db:"updated_at"`
}

func (r *policyRow) record() core.PolicyRecord {
	return core.PolicyRecord{
		ID: r.ID, Tenant: r.TenantID, Name: r.Name, Description: r.Description, DSL: r.DSL, Status: r.Status,
		Version: r.Version, Source: r.Source, Created: instant(r.CreatedAt), Updated: instant(r.UpdatedAt),
	}
}

func rowOf(p *core.PolicyRecord) policyRow {
	return policyRow{
		ID: p.ID, TenantID: p.Tenant, Name: p.Name, Description: p.Description, DSL: p.DSL, Status: p.Status,
		Version: p.Version, Source: p.Source, CreatedAt: micros(p.Created), UpdatedAt: micros(p.Updated),
	}
}

// Insert adds a policy, as its first version. An id that is there already
// is ErrExists. It gives the policy as stored.
func (ps Policies) Insert(ctx context.Context, p core.PolicyRecord) (core.PolicyRecord, error) {
	p.Version, p.Created = 1, ps.db.now().UTC().Truncate(time.Microsecond)
	p.Updated = p.Created
	row := rowOf(&p)
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO policy (id, tenant_id, name, description, dsl, status, version, source, created_at, updated_at)
			VALUES (:id, :tenant_id, :name, :description, :dsl, :status, :version, :source, :created_at, :updated_at)`, row)
		if err != nil {
			return false, err
		}
		tx.changed("policy", p.ID)
		return true, insertPolicyVersion(ctx, tx, &row)
	})
	if err != nil {
		return p, fmt.Errorf("insert policy: %w", err)
	}
	return p, nil
}

func insertPolicyVersion(ctx context.Context, tx *Tx, row *policyRow) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO policy_version (policy_id, version, name, description, dsl, created_at)
		VALUES (:id, :version, :name, :description, :dsl, :updated_at)`, row)
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM policy_version WHERE policy_id = ? AND version <= ?", row.ID, row.Version-policyVersions)
	}
	return err
}

// Change hands a policy to change and stores what that makes of it, in one
// transaction. A version that has grown is kept beside those before. An error of
// change leaves the policy as it is; an unknown id is ErrNotFound.
func (ps Policies) Change(ctx context.Context, id string, change func(p *core.PolicyRecord) error) (core.PolicyRecord, error) {
	var p core.PolicyRecord
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row policyRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM policy WHERE id = ?", id); err != nil {
			return false, err
		}
		before := row.record()
		p = before
		if err := change(&p); err != nil {
			return false, err
		}
		p.ID, p.Created, p.Updated = before.ID, before.Created, ps.db.now().UTC().Truncate(time.Microsecond)
		row = rowOf(&p)
		_, err := tx.NamedExecContext(ctx, `
			UPDATE policy SET tenant_id = :tenant_id, name = :name, description = :description, dsl = :dsl, status = :status,
				version = :version, updated_at = :updated_at
			WHERE id = :id`, row)
		if err == nil && p.Version != before.Version {
			err = insertPolicyVersion(ctx, tx, &row)
		}
		tx.changed("policy", id)
		return true, err
	})
	if err != nil {
		return core.PolicyRecord{}, fmt.Errorf("change policy: %w", err)
	}
	return p, nil
}

// List are all policies, in the order of their making.
func (ps Policies) List(ctx context.Context) ([]core.PolicyRecord, error) {
	var rows []policyRow
	if err := ps.db.read.SelectContext(ctx, &rows, "SELECT * FROM policy ORDER BY created_at, id"); err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	list := make([]core.PolicyRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Get is one policy; ErrNotFound when there is none with the id.
func (ps Policies) Get(ctx context.Context, id string) (core.PolicyRecord, error) {
	var row policyRow
	if err := ps.db.read.GetContext(ctx, &row, "SELECT * FROM policy WHERE id = ?", id); err != nil {
		return core.PolicyRecord{}, fmt.Errorf("read policy: %w", named(err))
	}
	return row.record(), nil
}

// ListVersions are the versions of a policy that are kept, the newest first:
// its name, description and text, and when it was made.
func (ps Policies) ListVersions(ctx context.Context, id string) ([]core.PolicyRecord, error) {
	var rows []policyRow
	err := ps.db.read.SelectContext(ctx, &rows, `
		SELECT p.id, p.tenant_id, v.name, v.description, v.dsl, p.status, v.version, p.source, p.created_at, v.created_at AS updated_at
		FROM policy_version AS v JOIN policy AS p ON p.id = v.policy_id
		WHERE v.policy_id = ? ORDER BY v.version DESC`, id)
	if err != nil {
		return nil, fmt.Errorf("list versions of a policy: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("list versions of a policy: %w", ErrNotFound)
	}
	list := make([]core.PolicyRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Delete deletes a policy, its versions and its shadow events; ErrNotFound
// when there is none with the id. check is asked first, with the policy as it is.
func (ps Policies) Delete(ctx context.Context, id string, check func(core.PolicyRecord) error) error {
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row policyRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM policy WHERE id = ?", id); err != nil {
			return false, err
		}
		if err := check(row.record()); err != nil {
			return false, err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM policy WHERE id = ?", id); err != nil {
			return false, err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM policy_shadow_event WHERE policy_id = ?", id)
		tx.changed("policy", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete policy: %w", err)
	}
	return nil
}
