package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// take waits for the writing connection and returns what gives it back. Waiters are served in the order they came, so
// an administrative write waits for the batch that is being written at most, never for one that started later.
func (db *DB) take(ctx context.Context) (func(), error) {
	select {
	case <-db.turn:
		return func() { db.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the database: %w", ctx.Err())
	}
}

// transact runs fn in one immediate transaction, durable when transact returns nil.
func (db *DB) transact(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	release, err := db.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	tx, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := fn(tx); err != nil {
		return errors.Join(named(err), tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// mutate is transact for an administrative change: the configuration version advances in the same transaction. A fn
// that changed nothing answers false, and then the version stays.
func (db *DB) mutate(ctx context.Context, fn func(tx *sqlx.Tx) (bool, error)) error {
	return db.transact(ctx, func(tx *sqlx.Tx) error {
		changed, err := fn(tx)
		if err != nil || !changed {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE config_version SET version = version + 1")
		return err
	})
}

// Advance advances the configuration version for a change that is kept outside of the database, as that of a plugin.
func (db *DB) Advance(ctx context.Context) error {
	return db.mutate(ctx, func(*sqlx.Tx) (bool, error) { return true, nil })
}

// Version is the configuration version: a number that every administrative change advances, in whichever process it
// was made. Reading it costs one look-up of one row.
func (db *DB) Version(ctx context.Context) (int64, error) {
	var v int64
	if err := db.read.GetContext(ctx, &v, "SELECT version FROM config_version"); err != nil {
		return 0, fmt.Errorf("read configuration version: %w", err)
	}
	return v, nil
}

// named puts our own error in place of the driver's where callers tell cases apart.
func named(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	var e sqlite3.Error
	if errors.As(err, &e) && e.Code == sqlite3.ErrConstraint {
		switch e.ExtendedCode {
		case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey:
			return ErrExists
		case sqlite3.ErrConstraintForeignKey:
			return fmt.Errorf("%w: the record it belongs to is missing", ErrNotFound)
		}
	}
	return err
}

// micros is t as stored; the zero time is stored as null.
func micros(t time.Time) sql.NullInt64 {
	if t.IsZero() {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: true}
}

// instant is the time that micros stored.
func instant(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMicro(n.Int64).UTC()
}
