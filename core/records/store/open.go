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

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	write    *sqlx.DB // on SQLite one connection, on PostgreSQL the pool that read has as well
	read     reader
	turn     chan struct{} // on SQLite it holds one token; who has it may use the writing connection
	postgres bool
	path     string      // the file of SQLite, "" when it lives in memory
	file     os.FileInfo // of path, as it was opened
	health   atomic.Pointer[error]
	room     int64 // bytes that the file of SQLite may have; 0: as it comes
	now      func() time.Time
}

// Option changes how Open sets up a database.
type Option func(*DB)

// WithClock makes the database take the time from now instead of the system's clock.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// WithRoom keeps a database of SQLite from growing beyond so many bytes: writes then fail as on a full disk, and traffic
// records are kept in memory until there is room, or refused.
func WithRoom(bytes int64) Option { return func(db *DB) { db.room = bytes } }

// Open opens the database that dbURL names and brings its schema up to date. The URL is one of
//
//   - "sqlite:<path>", the path relative to the working directory; the file is created when it is absent;
//   - "sqlite::memory:", a database that ends with the process;
//   - "postgres://user:password@host:5432/database", with the parameters that libpq knows, such as sslmode.
func Open(ctx context.Context, dbURL string, opts ...Option) (*DB, error) {
	db, err := connect(ctx, dbURL, opts...)
	if err != nil {
		return nil, err
	}
	if _, err := db.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	return db, nil
}

// connect opens a database as it is.
func connect(ctx context.Context, dbURL string, opts ...Option) (*DB, error) {
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

// Path is the absolute path of SQLite's file, or "" for a database in memory and for PostgreSQL.
func (db *DB) Path() string { return db.path }

// Shared says whether the database is one that several machines may use, as PostgreSQL is.
func (db *DB) Shared() bool { return db.postgres }

// Close waits for the write in progress and closes all connections. A Writer must be closed before its database.
func (db *DB) Close(ctx context.Context) error {
	release, err := db.take(ctx)
	if err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	defer release()
	if db.postgres {
		return db.write.Close()
	}
	return errors.Join(db.read.Close(), db.write.Close())
}
