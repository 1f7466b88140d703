package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Where a record was made.
const (
	SourceFile = "file" // the configuration file
	SourceAPI  = "api"  // the administrative API
	SourceCLI  = "cli"  // the headgate command
)

// Tenant is one customer of the gateway, called workspace in later releases.
type Tenant struct {
	ID, Name             string
	Status               string // "active" or "suspended"
	Region, Tier         string
	Metadata             map[string]any
	Tags                 []string
	Source               string
	CreatedAt, UpdatedAt time.Time // set by the store
}

type tenantRow struct {
	ID        string        `db:"id"`
	Name      string        `db:"name"`
	Status    string        `db:"status"`
	Region    string        `db:"region"`
	Tier      string        `db:"tier"`
	Metadata  string        `db:"metadata"`
	Tags      string        `db:"tags"`
	Source    string        `db:"source"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	UpdatedAt sql.NullInt64 `db:"updated_at"`
}

// Upsert inserts t or, when a tenant has its id, replaces that one's fields. It answers whether anything changed;
// a tenant that is there already, word for word, leaves the configuration version as it was.
func (ts Tenants) Upsert(ctx context.Context, t Tenant) (changed bool, err error) {
	row, err := t.row(ts.db.now())
	if err != nil {
		return false, fmt.Errorf("save tenant %q: %w", t.ID, err)
	}
	err = ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
		res, err := tx.NamedExecContext(ctx, `
			INSERT INTO tenant (id, name, status, region, tier, metadata, tags, source, created_at, updated_at)
			VALUES (:id, :name, :status, :region, :tier, :metadata, :tags, :source, :created_at, :updated_at)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = excluded.status, region = excluded.region,
				tier = excluded.tier, metadata = excluded.metadata, tags = excluded.tags, source = excluded.source,
				updated_at = excluded.updated_at
			WHERE (tenant.name, tenant.status, tenant.region, tenant.tier, tenant.metadata, tenant.tags, tenant.source) IS DISTINCT FROM
				(excluded.name, excluded.status, excluded.region, excluded.tier, excluded.metadata, excluded.tags, excluded.source)`,
			row)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if changed = n > 0; changed {
			tx.changed("tenant", t.ID)
		}
		return changed, err
	})
	if err != nil {
		return false, fmt.Errorf("save tenant %q: %w", t.ID, err)
	}
	return changed, nil
}

// List are all tenants, in the order of their ids.
func (ts Tenants) List(ctx context.Context) ([]Tenant, error) {
	var rows []tenantRow
	if err := ts.db.read.SelectContext(ctx, &rows, "SELECT * FROM tenant ORDER BY id"); err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	list := make([]Tenant, len(rows))
	for i := range rows {
		t, err := rows[i].tenant()
		if err != nil {
			return nil, fmt.Errorf("read tenant %q: %w", rows[i].ID, err)
		}
		list[i] = t
	}
	return list, nil
}

func (t Tenant) row(now time.Time) (tenantRow, error) {
	if t.ID == "" {
		return tenantRow{}, fmt.Errorf("a tenant needs an id")
	}
	r := tenantRow{
		ID: t.ID, Name: t.Name, Status: t.Status, Region: t.Region, Tier: t.Tier, Source: t.Source,
		Metadata: "{}", Tags: "[]", CreatedAt: micros(now), UpdatedAt: micros(now),
	}
	return r, encode(t.Metadata, &r.Metadata, t.Tags, &r.Tags)
}

func (r *tenantRow) tenant() (Tenant, error) {
	t := Tenant{
		ID: r.ID, Name: r.Name, Status: r.Status, Region: r.Region, Tier: r.Tier, Source: r.Source,
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
	if err := json.Unmarshal([]byte(r.Metadata), &t.Metadata); err != nil {
		return Tenant{}, fmt.Errorf("metadata: %w", err)
	}
	if err := json.Unmarshal([]byte(r.Tags), &t.Tags); err != nil {
		return Tenant{}, fmt.Errorf("tags: %w", err)
	}
	return t, nil
}

// encode writes metadata and tags as JSON text; map keys come out sorted, so equal values give equal text.
func encode(metadata map[string]any, metadataText *string, tags []string, tagsText *string) error {
	if len(metadata) > 0 {
		b, err := json.Marshal(metadata)
		if err != nil {
			return fmt.Errorf("metadata: %w", err)
		}
		*metadataText = string(b)
	}
	if len(tags) > 0 {
		b, err := json.Marshal(tags)
		if err != nil {
			return fmt.Errorf("tags: %w", err)
		}
		*tagsText = string(b)
	}
	return nil
}
