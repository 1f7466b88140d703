package store

import (
	"context"
	"database/sql"
	"fmt"
)

// exec runs one statement in its own transaction, without advancing the configuration version. what prefixes its
// errors.
func (db *DB) exec(ctx context.Context, what, query string, args ...any) error {
	_, err := db.execCount(ctx, what, query, args...)
	return err
}

// execOne is exec for a statement that must affect a row; otherwise it returns ErrNotFound.
func (db *DB) execOne(ctx context.Context, what, query string, args ...any) error {
	n, err := db.execCount(ctx, what, query, args...)
	if err == nil && n == 0 {
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return err
}

// execCount is exec that returns the number of affected rows.
func (db *DB) execCount(ctx context.Context, what, query string, args ...any) (n int64, err error) {
	err = db.transact(ctx, func(tx *Tx) error {
		var res sql.Result
		if res, err = tx.ExecContext(ctx, query, args...); err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return n, nil
}
