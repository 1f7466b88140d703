package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// OutputSchema is a JSON Schema that answers are held to.
type OutputSchema struct {
	ID                    string
	ModelPattern, RouteID string // one of them says which answers
	Schema                string // JSON
	MaxRetries            int
	CorrectionPrompt      string
	Enabled               bool
	Version               int64
	CreatedAt, UpdatedAt  time.Time // set by the store
}

type outputSchemaRow struct {
	ID               string `db:"id"`
	ModelPattern     string `db:"model_pattern"`
	RouteID          string `db:"route_id"`
	Schema           string `db:"schema"`
	MaxRetries       int    `db:"max_retries"`
	CorrectionPrompt string `db:"correction_prompt"`
	Enabled          int64  `db:"enabled"`
	Version          int64  `db:"version"`
	CreatedAt        int64  `db:"created_at"`
	UpdatedAt        int64  `db:"updated_at"`
}

func (s *OutputSchema) row() outputSchemaRow {
	return outputSchemaRow{
		ID: s.ID, ModelPattern: s.ModelPattern, RouteID: s.RouteID, Schema: s.Schema, MaxRetries: s.MaxRetries, CorrectionPrompt: s.CorrectionPrompt,
		Enabled: flag(s.Enabled), Version: s.Version, CreatedAt: s.CreatedAt.UnixMicro(), UpdatedAt: s.UpdatedAt.UnixMicro(),
	}
}

func (r *outputSchemaRow) schema() OutputSchema {
	return OutputSchema{
		ID: r.ID, ModelPattern: r.ModelPattern, RouteID: r.RouteID, Schema: r.Schema, MaxRetries: r.MaxRetries, CorrectionPrompt: r.CorrectionPrompt,
		Enabled: r.Enabled != 0, Version: r.Version, CreatedAt: time.UnixMicro(r.CreatedAt).UTC(), UpdatedAt: time.UnixMicro(r.UpdatedAt).UTC(),
	}
}

// Cursor is the place behind the schema in a list.
func (s *OutputSchema) Cursor() Cursor { return Cursor{s.CreatedAt, s.ID} }

// Insert adds a schema and gives it as stored.
func (ss OutputSchemas) Insert(ctx context.Context, s OutputSchema) (OutputSchema, error) {
	s.Version, s.CreatedAt = 1, ss.db.stamp()
	s.UpdatedAt = s.CreatedAt
	err := ss.db.mutate(ctx, func(tx *Tx) (bool, error) {
		tx.changed("schema", s.ID)
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO output_schema (id, model_pattern, route_id, schema, max_retries, correction_prompt, enabled, version, created_at, updated_at)
			VALUES (:id, :model_pattern, :route_id, :schema, :max_retries, :correction_prompt, :enabled, :version, :created_at, :updated_at)`, s.row())
		return true, err
	})
	if err != nil {
		return OutputSchema{}, fmt.Errorf("insert output schema: %w", err)
	}
	return s, nil
}

// Change hands a schema to change and stores what that makes of it, in one transaction. An error of change
// leaves it as it is; an unknown id is ErrNotFound.
func (ss OutputSchemas) Change(ctx context.Context, id string, change func(s *OutputSchema) error) (OutputSchema, error) {
	var s OutputSchema
	err := ss.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row outputSchemaRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM output_schema WHERE id = ?", id); err != nil {
			return false, err
		}
		before := row.schema()
		s = before
		if err := change(&s); err != nil {
			return false, err
		}
		s.ID, s.CreatedAt, s.Version, s.UpdatedAt = before.ID, before.CreatedAt, before.Version+1, ss.db.later(before.UpdatedAt)
		tx.changed("schema", id)
		_, err := tx.NamedExecContext(ctx, `
			UPDATE output_schema SET model_pattern = :model_pattern, route_id = :route_id, schema = :schema, max_retries = :max_retries,
				correction_prompt = :correction_prompt, enabled = :enabled, version = :version, updated_at = :updated_at
			WHERE id = :id`, s.row())
		return true, err
	})
	if err != nil {
		return OutputSchema{}, fmt.Errorf("change output schema: %w", err)
	}
	return s, nil
}

// Delete removes a schema; check may refuse in the same transaction.
func (ss OutputSchemas) Delete(ctx context.Context, id string, check func(s OutputSchema) error) error {
	err := ss.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row outputSchemaRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM output_schema WHERE id = ?", id); err != nil {
			return false, err
		}
		if err := check(row.schema()); err != nil {
			return false, err
		}
		tx.changed("schema", id)
		_, err := tx.ExecContext(ctx, "DELETE FROM output_schema WHERE id = ?", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete output schema: %w", err)
	}
	return nil
}

// Get is one schema; ErrNotFound when there is none with the id.
func (ss OutputSchemas) Get(ctx context.Context, id string) (OutputSchema, error) {
	var row outputSchemaRow
	if err := ss.db.read.GetContext(ctx, &row, "SELECT * FROM output_schema WHERE id = ?", id); err != nil {
		return OutputSchema{}, fmt.Errorf("read output schema: %w", named(err))
	}
	return row.schema(), nil
}

// Each lists schemas behind a place, in the order of their making.
func (ss OutputSchemas) Each(ctx context.Context, after Cursor, limit int) iter.Seq2[OutputSchema, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]outputSchemaRow, error) {
		return page[outputSchemaRow](ctx, ss.db, "output_schema", "", nil, after, n)
	}, func(r *outputSchemaRow) (OutputSchema, Cursor, error) {
		s := r.schema()
		return s, s.Cursor(), nil
	})
}
