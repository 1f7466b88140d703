package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Where a record comes from.
const (
	SourceFile = "file" // the configuration file
	SourceAPI  = "api"  // the administrative API
	SourceCLI  = "cli"  // the headgate command
)

// Tenant is one customer of the gateway. The console calls it a workspace.
type Tenant struct {
	ID, Name             string
	Status               string // "active" or "suspended"
	Region, Tier         string
	Metadata             map[string]any
	Tags                 []string
	KeyTemplate          KeyTemplate
	Source               string
	CreatedAt, UpdatedAt time.Time // set by the store
}

var tenantTable = newTable(table[Tenant]{
	name: "tenant", noun: "tenant", kind: "tenant", order: "id", idle: true,
	head: func(t *Tenant) head { return head{id: &t.ID, created: &t.CreatedAt, updated: &t.UpdatedAt} },
	prepare: func(t *Tenant) error {
		if t.ID == "" {
			return errors.New("a tenant needs an id")
		}
		return nil
	},
	fields: func(t *Tenant) []field {
		return []field{
			newFixedField("id", &t.ID),
			{column: "name", at: &t.Name},
			{column: "status", at: &t.Status},
			{column: "region", at: &t.Region},
			{column: "tier", at: &t.Tier},
			{column: "metadata", at: newMapCodec(&t.Metadata)},
			{column: "tags", at: newListCodec(&t.Tags)},
			{column: "key_template", at: newJSONCodec(&t.KeyTemplate)},
			{column: "source", at: &t.Source},
			newFixedField("created_at", newInstantCodec(&t.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&t.UpdatedAt)},
		}
	},
})

// Tenants reads and writes the tenants.
type Tenants struct{ Records[Tenant] }

// Tenants returns the tenants. Its lists are in the order of their ids.
func (db *DB) Tenants() Tenants { return Tenants{Records[Tenant]{db, tenantTable}} }

// Cursor is the place of the tenant in a list.
func (t *Tenant) Cursor() Cursor { return Cursor{t.CreatedAt, t.ID} }

// Upsert inserts t or replaces the fields of the tenant with its id, and says whether anything changed. If nothing did, the
// configuration version does not advance.
func (ts Tenants) Upsert(ctx context.Context, t Tenant) (changed bool, err error) {
	err = ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
		v := t
		if err := tenantTable.stamp(&v, ts.db.readClock()); err != nil {
			return false, err
		}
		args, err := tenantTable.listValues(&v)
		if err != nil {
			return false, err
		}
		res, err := tx.ExecContext(ctx, tenantTable.insertSQL+`
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = excluded.status, region = excluded.region,
				tier = excluded.tier, metadata = excluded.metadata, tags = excluded.tags, source = excluded.source,
				updated_at = excluded.updated_at
			WHERE (tenant.name, tenant.status, tenant.region, tenant.tier, tenant.metadata, tenant.tags, tenant.source) IS DISTINCT FROM
				(excluded.name, excluded.status, excluded.region, excluded.tier, excluded.metadata, excluded.tags, excluded.source)`, args...)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if changed = n > 0; changed {
			tx.noteChange("tenant", t.ID)
		}
		return changed, err
	})
	if err != nil {
		return false, fmt.Errorf("save tenant %q: %w", t.ID, err)
	}
	return changed, nil
}

// ReleaseUnlisted hands tenants that the configuration file no longer names over to the administrative API, which can change and
// delete them from then on. listed are the ids that the file names.
func (ts Tenants) ReleaseUnlisted(ctx context.Context, listed []string) error {
	err := ts.db.mutate(ctx, func(tx *Tx) (changed bool, err error) {
		filed, err := tenantTable.read(ctx, tx.bound, "SELECT "+tenantTable.columns+" FROM tenant WHERE source = ?", SourceFile)
		if err != nil {
			return false, err
		}
		for i := range filed {
			if slices.Contains(listed, filed[i].ID) {
				continue
			}
			changed = true
			if _, err := tenantTable.update(ctx, ts.db, tx, &filed[i], func(t *Tenant) error {
				t.Source = SourceAPI
				return nil
			}); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
	if err != nil {
		return fmt.Errorf("release tenants: %w", err)
	}
	return nil
}

// Add inserts a tenant unless check, which gets the number of existing tenants, returns an error. It returns the tenant as stored.
func (ts Tenants) Add(ctx context.Context, t Tenant, check func(n int) error) (Tenant, error) {
	err := tenantTable.stamp(&t, ts.db.readClock())
	if err == nil {
		err = ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
			var n int
			if err := tx.GetContext(ctx, &n, "SELECT count(*) FROM tenant"); err != nil {
				return false, err
			}
			if err := check(n); err != nil {
				return false, err
			}
			return true, tenantTable.insert(ctx, tx, t)
		})
	}
	if err != nil {
		return Tenant{}, fmt.Errorf("add tenant: %w", err)
	}
	return t, nil
}

// Count returns the number of tenants.
func (ts Tenants) Count(ctx context.Context) (int64, error) {
	var n int64
	if err := ts.db.read.GetContext(ctx, &n, "SELECT count(*) FROM tenant"); err != nil {
		return 0, fmt.Errorf("count tenants: %w", err)
	}
	return n, nil
}

// ListByID returns the existing tenants with these ids, in no order.
func (ts Tenants) ListByID(ctx context.Context, ids []string) ([]Tenant, error) {
	var all []Tenant
	for len(ids) > 0 {
		n := min(len(ids), maxArgs)
		args := make([]any, n)
		for i := range args {
			args[i] = ids[i]
		}
		list, err := ts.list(ctx, "WHERE id IN (?"+strings.Repeat(", ?", n-1)+")", args...)
		if err != nil {
			return nil, err
		}
		all, ids = append(all, list...), ids[n:]
	}
	return all, nil
}

// Insert adds a tenant.
func (ts Tenants) Insert(ctx context.Context, t Tenant) error {
	_, err := ts.Records.Insert(ctx, t)
	return err
}
