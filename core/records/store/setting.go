package store

import (
	"context"
	"fmt"
)

// InsertOnce stores value under name unless a value exists, and returns the stored value. If two processes set the same
// name, both continue with the first value.
func (ss Settings) InsertOnce(ctx context.Context, name string, value []byte) ([]byte, error) {
	var kept []byte
	err := ss.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, value)
		if err != nil {
			return err
		}
		return tx.GetContext(ctx, &kept, "SELECT value FROM setting WHERE name = ?", name)
	})
	if err != nil {
		return nil, fmt.Errorf("store setting %q: %w", name, err)
	}
	return kept, nil
}

// Get returns the value stored under name, or ErrNotFound.
func (ss Settings) Get(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	if err := ss.db.read.GetContext(ctx, &value, "SELECT value FROM setting WHERE name = ?", name); err != nil {
		return nil, fmt.Errorf("read setting %q: %w", name, mapDriverError(err))
	}
	return value, nil
}

// HasTable reports whether the database has settings at all. It has none before its first migration.
func (ss Settings) HasTable(ctx context.Context) (bool, error) {
	query := "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'setting'"
	if ss.db.postgres {
		query = "SELECT COUNT(to_regclass('setting'))"
	}
	var n int
	if err := ss.db.read.GetContext(ctx, &n, query); err != nil {
		return false, fmt.Errorf("find settings: %w", mapDriverError(err))
	}
	return n > 0, nil
}

// Set replaces the value under name without advancing the configuration version.
func (ss Settings) Set(ctx context.Context, name string, value []byte) error {
	err := ss.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(
			ctx,
			"INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			name,
			value,
		)
		return err
	})
	if err != nil {
		return fmt.Errorf("store setting %q: %w", name, err)
	}
	return nil
}

// Change replaces the value under name as an administrative change of a kind, which advances the configuration version.
// An equal value changes nothing.
func (ss Settings) Change(ctx context.Context, name string, value []byte, kind string) error {
	err := ss.db.mutate(ctx, func(tx *Tx) (bool, error) {
		res, err := tx.ExecContext(ctx, `INSERT INTO setting (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE setting.value IS DISTINCT FROM excluded.value`, name, value)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		tx.noteChange(kind, "")
		return n > 0, err
	})
	if err != nil {
		return fmt.Errorf("store setting %q: %w", name, err)
	}
	return nil
}
