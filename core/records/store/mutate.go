package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// take waits for the writing connection of SQLite and returns what gives it back. Waiters are served in the order they
// came, so an administrative write waits for the batch that is being written at most, never for one that started later.
// PostgreSQL has many writers, so it does not wait.
func (db *DB) take(ctx context.Context) (func(), error) {
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

// transact runs fn in one transaction, durable when transact returns nil. On SQLite it is the only one that writes. On
// PostgreSQL others write at the same time: a row that fn reads in order to change it is read with tx.forUpdate.
func (db *DB) transact(ctx context.Context, fn func(tx *Tx) error) error {
	release, err := db.take(ctx)
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
		if errors.Is(undone, sql.ErrTxDone) { // the end of ctx has undone it
			undone = nil
		}
		return errors.Join(mapDriverError(err), undone)
	}
	if err := raw.Commit(); err != nil {
		return fmt.Errorf("commit: %w", mapDriverError(err))
	}
	return nil
}

// mutate is transact for an administrative change: the configuration version advances in the same transaction. A fn
// that changed nothing answers false, and then the version stays. What changed fn tells tx.changed.
//
// On PostgreSQL the row of the version is locked first: administrative changes of all nodes come one after the other,
// as they do on SQLite, so fn may read, decide and write; and no version shows before the one below it. Traffic goes on
// beside them.
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

// Advance advances the configuration version for a change that is kept outside of the database, as that of a plugin. Without a
// kind everything may have changed.
func (c Config) Advance(ctx context.Context, kind, id string) error {
	return c.db.mutate(ctx, func(tx *Tx) (bool, error) {
		if kind != "" {
			tx.noteChange(kind, id)
		}
		return true, nil
	})
}

// Version is the configuration version: a number that every administrative change advances, in whichever process it
// was made. Reading it costs one look-up of one row.
func (c Config) Version(ctx context.Context) (int64, error) {
	var v int64
	if err := c.db.read.GetContext(ctx, &v, "SELECT version FROM config_version"); err != nil {
		return 0, fmt.Errorf("read configuration version: %w", err)
	}
	return v, nil
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

// flag is a truth value as stored.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
