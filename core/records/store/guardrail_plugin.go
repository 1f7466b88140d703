package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// GuardrailPlugin is a guard over HTTP that is a record.
type GuardrailPlugin struct {
	ID, Tenant, Name string // Tenant "": of the platform, for every tenant
	URL              string
	Secrets
	Timeout              time.Duration // whole milliseconds
	FailMode             string        // OPEN or CLOSED
	Mode                 string        // enforce or shadow
	Enabled              bool
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

type guardrailPluginRow struct {
	ID        string `db:"id"`
	TenantID  string `db:"tenant_id"`
	Name      string `db:"name"`
	URL       string `db:"url"`
	TimeoutMS int64  `db:"timeout_ms"`
	FailMode  string `db:"fail_mode"`
	Mode      string `db:"mode"`
	Enabled   int64  `db:"enabled"`
	Version   int64  `db:"version"`
	CreatedAt int64  `db:"created_at"`
	UpdatedAt int64  `db:"updated_at"`
	secretsRow
}

func (p *GuardrailPlugin) row() guardrailPluginRow {
	return guardrailPluginRow{
		ID: p.ID, TenantID: p.Tenant, Name: p.Name, URL: p.URL, TimeoutMS: p.Timeout.Milliseconds(), FailMode: p.FailMode, Mode: p.Mode,
		Enabled: flag(p.Enabled), Version: p.Version, CreatedAt: p.CreatedAt.UnixMicro(), UpdatedAt: p.UpdatedAt.UnixMicro(), secretsRow: p.Secrets.row(),
	}
}

func (r *guardrailPluginRow) plugin() GuardrailPlugin {
	return GuardrailPlugin{
		ID: r.ID, Tenant: r.TenantID, Name: r.Name, URL: r.URL, Secrets: r.secrets(), Timeout: time.Duration(r.TimeoutMS) * time.Millisecond,
		FailMode: r.FailMode, Mode: r.Mode, Enabled: r.Enabled != 0, Version: r.Version,
		CreatedAt: time.UnixMicro(r.CreatedAt).UTC(), UpdatedAt: time.UnixMicro(r.UpdatedAt).UTC(),
	}
}

// Cursor is the place behind the plugin in a list.
func (p *GuardrailPlugin) Cursor() Cursor { return Cursor{p.CreatedAt, p.ID} }

// Insert adds a plugin and gives it as stored. A name that is there already is ErrExists.
func (ps GuardrailPlugins) Insert(ctx context.Context, p GuardrailPlugin) (GuardrailPlugin, error) {
	p.Version, p.CreatedAt = 1, ps.db.stamp()
	p.UpdatedAt = p.CreatedAt
	row := p.row()
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		tx.changed("guardrail_plugin", p.ID)
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO guardrail_plugin (id, tenant_id, name, url, secret, previous, previous_until, timeout_ms, fail_mode, mode, enabled, version, created_at, updated_at)
			VALUES (:id, :tenant_id, :name, :url, :secret, :previous, :previous_until, :timeout_ms, :fail_mode, :mode, :enabled, :version, :created_at, :updated_at)`, row)
		return true, err
	})
	if err != nil {
		return GuardrailPlugin{}, fmt.Errorf("insert guardrail plugin: %w", err)
	}
	return p, nil
}

// Change hands a plugin to change and stores what that makes of it, in one transaction. An error of
// change leaves it as it is; an unknown id is ErrNotFound.
func (ps GuardrailPlugins) Change(ctx context.Context, id string, change func(p *GuardrailPlugin) error) (GuardrailPlugin, error) {
	var p GuardrailPlugin
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		before, err := tx.guardrailPlugin(ctx, id)
		if err != nil {
			return false, err
		}
		p = before
		if err := change(&p); err != nil {
			return false, err
		}
		p.ID, p.CreatedAt, p.Version, p.UpdatedAt = before.ID, before.CreatedAt, before.Version+1, ps.db.later(before.UpdatedAt)
		tx.changed("guardrail_plugin", id)
		_, err = tx.NamedExecContext(ctx, `
			UPDATE guardrail_plugin SET tenant_id = :tenant_id, name = :name, url = :url, secret = :secret, previous = :previous,
				previous_until = :previous_until, timeout_ms = :timeout_ms, fail_mode = :fail_mode, mode = :mode, enabled = :enabled,
				version = :version, updated_at = :updated_at
			WHERE id = :id`, p.row())
		return true, err
	})
	if err != nil {
		return GuardrailPlugin{}, fmt.Errorf("change guardrail plugin: %w", err)
	}
	return p, nil
}

// Delete removes a plugin and gives it as it was; check may refuse in the same transaction.
func (ps GuardrailPlugins) Delete(ctx context.Context, id string, check func(p GuardrailPlugin) error) (p GuardrailPlugin, err error) {
	err = ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		if p, err = tx.guardrailPlugin(ctx, id); err != nil {
			return false, err
		}
		if err := check(p); err != nil {
			return false, err
		}
		tx.changed("guardrail_plugin", id)
		_, err := tx.ExecContext(ctx, "DELETE FROM guardrail_plugin WHERE id = ?", id)
		return true, err
	})
	if err != nil {
		return GuardrailPlugin{}, fmt.Errorf("delete guardrail plugin: %w", err)
	}
	return p, nil
}

func (tx *Tx) guardrailPlugin(ctx context.Context, id string) (GuardrailPlugin, error) {
	var row guardrailPluginRow
	err := tx.GetContext(ctx, &row, "SELECT * FROM guardrail_plugin WHERE id = ?", id)
	return row.plugin(), err
}

// Get is one plugin; ErrNotFound when there is none with the id.
func (ps GuardrailPlugins) Get(ctx context.Context, id string) (GuardrailPlugin, error) {
	var row guardrailPluginRow
	if err := ps.db.read.GetContext(ctx, &row, "SELECT * FROM guardrail_plugin WHERE id = ?", id); err != nil {
		return GuardrailPlugin{}, fmt.Errorf("read guardrail plugin: %w", named(err))
	}
	return row.plugin(), nil
}

// Each lists the plugins of one tenant, or all with tenant "", behind a place.
func (ps GuardrailPlugins) Each(ctx context.Context, tenant string, after Cursor, limit int) iter.Seq2[GuardrailPlugin, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]guardrailPluginRow, error) {
		if tenant == "" {
			return page[guardrailPluginRow](ctx, ps.db, "guardrail_plugin", "", nil, after, n)
		}
		return page[guardrailPluginRow](ctx, ps.db, "guardrail_plugin", "tenant_id = ?", []any{tenant}, after, n)
	}, func(r *guardrailPluginRow) (GuardrailPlugin, Cursor, error) {
		p := r.plugin()
		return p, p.Cursor(), nil
	})
}
