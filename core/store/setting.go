package store

import (
	"context"
	"fmt"
)

// SettingOnce stores value under name unless there is one already, and returns the one that is in force: of two
// processes that set the same name, both go on with the value of the first.
func (db *DB) SettingOnce(ctx context.Context, name string, value []byte) ([]byte, error) {
	var kept []byte
	err := db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, value)
		if err != nil {
			return err
		}
		return tx.GetContext(ctx, &kept, "SELECT value FROM setting WHERE name = ?", name)
	})
	if err != nil {
		return nil, fmt.Errorf("keep setting %q: %w", name, err)
	}
	return kept, nil
}

// Setting is the value stored under name, or ErrNotFound.
func (db *DB) Setting(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	if err := db.read.GetContext(ctx, &value, "SELECT value FROM setting WHERE name = ?", name); err != nil {
		return nil, fmt.Errorf("read setting %q: %w", name, named(err))
	}
	return value, nil
}
