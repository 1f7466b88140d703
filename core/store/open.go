package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/mattn/go-sqlite3" // the SQLite driver registers itself
)

// readers is the size of the pool of reading connections. Reads are administrative or rare, so a few are enough.
const readers = 4

// busyTimeout is how long a statement waits for another process that holds the write lock, in milliseconds.
const busyTimeout = 5000

// pageSize is the size of a page of a new database in bytes, SQLite's default being 4096. Traffic records come in
// batches of hundreds of kilobytes, which take a system call for each page: four times fewer of them are made, while a
// look-up still reads little.
const pageSize = 16 << 10

// walPages is how many pages the write-ahead log gathers before they are copied into the database: 16 MiB. Fewer,
// larger copies cost about a tenth less than SQLite's 1000 pages of 4 KiB; what is lost is a little start-up time after
// a kill, and disk.
const walPages = 16 << 20 / pageSize

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	write *sqlx.DB      // one connection
	read  *sqlx.DB      // a pool that can only read
	turn  chan struct{} // holds one token; who has it may use the writing connection
	path  string        // the database file, "" when it lives in memory
	now   func() time.Time
}

// Option changes how Open sets up a database.
type Option func(*DB)

// WithClock makes the database take the time from now instead of the system's clock.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// memories numbers the in-memory databases of this process, which share one name space.
var memories atomic.Int64

// Open opens the database that dbURL names, creates it when it is absent, and brings its schema up to date. The URL is
// "sqlite:<path>", the path relative to the working directory, or "sqlite::memory:" for a database that ends with the
// process.
func Open(ctx context.Context, dbURL string, opts ...Option) (*DB, error) {
	scheme, rest, ok := strings.Cut(dbURL, ":")
	if !ok || scheme != "sqlite" {
		return nil, fmt.Errorf("store url: scheme %q is not supported; use sqlite:<path>", scheme)
	}
	rest = strings.TrimPrefix(rest, "//")
	if rest == "" {
		return nil, errors.New("store url: sqlite: wants a path, as in sqlite:headgate.db")
	}
	db := &DB{turn: make(chan struct{}, 1), now: time.Now}
	db.turn <- struct{}{}
	for _, o := range opts {
		o(db)
	}
	name, query, err := db.locate(rest)
	if err != nil {
		return nil, err
	}
	if db.write, err = sqlx.Open("sqlite3", dsn(name, query, false)); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.write.SetMaxOpenConns(1)
	if db.read, err = sqlx.Open("sqlite3", dsn(name, query, true)); err != nil {
		return nil, errors.Join(fmt.Errorf("open database for reading: %w", err), db.write.Close())
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	return db, nil
}

// locate turns what follows "sqlite:" into the file part of a SQLite URI and its extra query values.
func (db *DB) locate(rest string) (string, url.Values, error) {
	query := url.Values{}
	if rest == ":memory:" {
		query.Set("vfs", "memdb")
		return "/headgate-" + strconv.FormatInt(memories.Add(1), 10), query, nil
	}
	path, err := filepath.Abs(rest)
	if err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	// SQLite would make the file readable by everybody; the log and the shared index take over the file's mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil, fmt.Errorf("store url: the folder of %q does not exist", rest)
		}
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	if err := f.Close(); err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	if err := layOut(path); err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	db.path = path
	query.Set("_journal_mode", "WAL")
	return (&url.URL{Path: path}).EscapedPath(), query, nil
}

// layOut gives a database that is still empty its page size, which cannot be changed once it holds anything.
func layOut(path string) (err error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 {
		return err
	}
	db, err := sqlx.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_busy_timeout="+strconv.Itoa(busyTimeout))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // a page size is set for a connection
	if _, err = db.Exec("PRAGMA page_size=" + strconv.Itoa(pageSize)); err != nil {
		return err
	}
	_, err = db.Exec("VACUUM") // writes the first page
	return err
}

// dsn spells the driver's data source name.
func dsn(name string, query url.Values, readOnly bool) string {
	q := url.Values{}
	for k, v := range query {
		q[k] = v
	}
	q.Set("_busy_timeout", strconv.Itoa(busyTimeout))
	q.Set("_synchronous", "FULL")
	q.Set("_foreign_keys", "on")
	if readOnly {
		q.Set("_query_only", "true")
	} else {
		q.Set("_txlock", "immediate")
		q.Set("_secure_delete", "true") // what is deleted is overwritten; only the vault and batches delete
		q.Set("_mutex", "no")           // the one connection has one user at a time anyway
	}
	return "file:" + name + "?" + q.Encode()
}

// prepare sets what the connection string cannot say, and migrates.
func (db *DB) prepare(ctx context.Context) error {
	if _, err := db.write.ExecContext(ctx, "PRAGMA wal_autocheckpoint="+strconv.Itoa(walPages)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return migrate(ctx, db.write.DB)
}

// Path is the absolute path of the database file, or "" for a database in memory.
func (db *DB) Path() string { return db.path }

// Close waits for the write in progress and closes all connections. A Writer must be closed before its database.
func (db *DB) Close(ctx context.Context) error {
	select {
	case <-db.turn:
		defer func() { db.turn <- struct{}{} }()
	case <-ctx.Done():
		return fmt.Errorf("close database: %w", ctx.Err())
	}
	return errors.Join(db.read.Close(), db.write.Close())
}
