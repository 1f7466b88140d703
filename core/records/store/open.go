package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	write    *sqlx.DB // on SQLite a single connection; on PostgreSQL the same pool as read
	read     reader
	turn     chan struct{} // on SQLite it holds one token, whose holder may use the writing connection
	postgres bool
	path     string      // the SQLite file, "" if in memory
	file     os.FileInfo // of path when it was opened
	health   atomic.Pointer[error]
	room     int64 // maximum size of the SQLite file in bytes; 0 for no limit
	now      func() time.Time
	check    func(context.Context, *DB) error // see WithMigrationCheck
	create   func(path string) error          // see WithCreationCheck
}

// Option configures Open.
type Option func(*DB)

// WithClock sets the clock. The default is the system's.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// WithRoom limits the size of a SQLite database in bytes. Beyond it, writes fail as on a full disk; traffic records
// wait in memory until there is room, or are refused.
func WithRoom(bytes int64) Option { return func(db *DB) { db.room = bytes } }

// WithMigrationCheck has Open call check before it migrates the database. If check fails, Open fails with its error and has
// changed nothing.
func WithMigrationCheck(check func(context.Context, *DB) error) Option {
	return func(db *DB) { db.check = check }
}

// WithCreationCheck has Open call check with the absolute path of a SQLite file that is absent or of 0 bytes, before it creates
// a database there. If check fails, Open fails with its error and has created nothing.
func WithCreationCheck(check func(path string) error) Option {
	return func(db *DB) { db.create = check }
}

// Open opens the database that dbURL names and brings its schema up to date. The URL is one of
//
//   - "sqlite:<path>", the path relative to the working directory; the file is created when it is absent;
//   - "sqlite::memory:", a database that ends with the process;
//   - "postgres://user:password@host:5432/database", with the parameters that libpq knows, such as sslmode.
func Open(ctx context.Context, dbURL string, opts ...Option) (*DB, error) {
	db, err := connectDatabase(ctx, dbURL, opts...)
	if err != nil {
		return nil, err
	}
	if db.check != nil {
		if err := db.check(ctx, db); err != nil {
			return nil, errors.Join(err, db.Close(ctx))
		}
	}
	if _, err := db.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	return db, nil
}

// connectDatabase opens a database without migrating it.
func connectDatabase(ctx context.Context, dbURL string, opts ...Option) (*DB, error) {
	db := &DB{now: time.Now}
	for _, o := range opts {
		o(db)
	}
	scheme, rest, _ := strings.Cut(dbURL, ":")
	switch scheme {
	case "sqlite":
		return db, db.openSQLite(ctx, strings.TrimPrefix(rest, "//"))
	case "postgres", "postgresql":
		return db, db.openPostgres(ctx, dbURL)
	}
	return nil, errors.New("store url: use sqlite:<path> or postgres://user@host/database")
}

// Path returns the absolute path of SQLite's file, or "" for a database in memory and for PostgreSQL.
func (db *DB) Path() string { return db.path }

// IsShared reports whether several machines can use the database, which only PostgreSQL supports.
func (db *DB) IsShared() bool { return db.postgres }

// Close waits for the current write and closes all connections. Close the Writer first.
func (db *DB) Close(ctx context.Context) error {
	release, err := db.acquireWriter(ctx)
	if err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	defer release()
	if db.postgres {
		return db.write.Close()
	}
	return errors.Join(db.read.Close(), db.write.Close())
}
