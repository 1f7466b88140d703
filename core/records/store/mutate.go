package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// acquireWriter waits for SQLite's writing connection and returns a function that releases it. Waiters are served in
// order, so an administrative write waits at most for the current batch. On PostgreSQL, which has many writers, it
// returns at once.
func (db *DB) acquireWriter(ctx context.Context) (func(), error) {
	if db.turn == nil {
		return func() {}, nil
	}
	select {
	case <-db.turn:
		return func() { db.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the database: %w", ctx.Err())
	}
}

// transact runs fn in one transaction, which is durable when transact returns nil. On SQLite it is the only writer. On
// PostgreSQL there are others: read a row that fn will change with tx.lockClause.
func (db *DB) transact(ctx context.Context, fn func(tx *Tx) error) error {
	release, err := db.acquireWriter(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := db.checkFile(); err != nil {
		return err
	}
	raw, err := db.write.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", mapDriverError(err))
	}
	if err := fn(&Tx{bound: bound{raw}, postgres: db.postgres}); err != nil {
		undone := raw.Rollback()
		if errors.Is(undone, sql.ErrTxDone) { // ctx ended and has rolled it back
			undone = nil
		}
		return errors.Join(mapDriverError(err), undone)
	}
	if err := raw.Commit(); err != nil {
		return fmt.Errorf("commit: %w", mapDriverError(err))
	}
	return nil
}

// mutate is transact for an administrative change: it advances the configuration version in the same transaction. If fn
// returns false, nothing changed and the version stays. fn records what it changed with tx.noteChange.
//
// On PostgreSQL it first locks the row of the version. This serializes the administrative changes of all nodes, as on
// SQLite, so fn may read, decide and write, and versions become visible in order. Traffic continues meanwhile.
func (db *DB) mutate(ctx context.Context, fn func(tx *Tx) (changed bool, err error)) error {
	return db.transact(ctx, func(tx *Tx) error {
		if tx.postgres {
			var v int64
			if err := tx.GetContext(ctx, &v, "SELECT version FROM config_version FOR UPDATE"); err != nil {
				return err
			}
		}
		if err := tx.refuseReplica(ctx); err != nil {
			return err
		}
		changed, err := fn(tx)
		if err != nil || !changed {
			return err
		}
		var v int64
		if err := tx.GetContext(ctx, &v, "UPDATE config_version SET version = version + 1 RETURNING version"); err != nil {
			return err
		}
		if err := tx.storeChanges(ctx, v); err != nil {
			return err
		}
		return tx.emitChanges(ctx, v, db.now())
	})
}

// Advance advances the configuration version for a change outside the database, such as that of a plugin. An empty kind
// means that anything may have changed.
func (c Config) Advance(ctx context.Context, kind, id string) error {
	return c.db.mutate(ctx, func(tx *Tx) (bool, error) {
		if kind != "" {
			tx.noteChange(kind, id)
		}
		return true, nil
	})
}

// ReadVersion returns the configuration version, a number that every administrative change in any process advances. It
// costs one lookup of one row.
func (c Config) ReadVersion(ctx context.Context) (int64, error) {
	var v int64
	if err := c.db.read.GetContext(ctx, &v, "SELECT version FROM config_version"); err != nil {
		return 0, fmt.Errorf("read configuration version: %w", err)
	}
	return v, nil
}

// convertToMicros returns t as stored. The zero time is stored as null.
func convertToMicros(t time.Time) sql.NullInt64 {
	if t.IsZero() {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: true}
}

// convertToInstant reverses micros.
func convertToInstant(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMicro(n.Int64).UTC()
}

// convertFlag returns a boolean as stored.
func convertFlag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
