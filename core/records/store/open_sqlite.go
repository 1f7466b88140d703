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
	"sync/atomic"

	"github.com/jmoiron/sqlx"
	_ "github.com/mattn/go-sqlite3" // registers the SQLite driver
)

// readers is the number of reading connections. Reads are administrative or rare, so a few suffice.
const readers = 4

// busyTimeout is how long a statement waits for another process's write lock, in milliseconds.
const busyTimeout = 5000

// pageSize is the page size of a new database in bytes (SQLite's default is 4096). Batches of traffic records are
// hundreds of kilobytes and cost a system call per page. Four times fewer pages save most of these, while a lookup
// still reads little.
const pageSize = 16 << 10

// walPages is the size of the write-ahead log at which it is checkpointed, 16 MiB. Fewer, larger checkpoints cost about
// a tenth less than SQLite's 1000 pages of 4 KiB, at the price of disk space and a slower start after a kill.
const walPages = 16 << 20 / pageSize

// memories numbers the in-memory databases of this process, which share a name space.
var memories atomic.Int64

// openSQLite opens the file that rest names, without checking its content.
func (db *DB) openSQLite(ctx context.Context, rest string) error {
	if rest == "" {
		return errors.New("store url: sqlite: needs a path, such as sqlite:headgate.db")
	}
	name, query, err := db.parseSQLiteURL(ctx, rest)
	if err != nil {
		return err
	}
	db.turn = make(chan struct{}, 1)
	db.turn <- struct{}{}
	if db.write, err = sqlx.Open("sqlite3", formatDSN(name, query, false)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.write = db.write.Unsafe() // see newReader
	db.write.SetMaxOpenConns(1)
	pool, err := sqlx.Open("sqlite3", formatDSN(name, query, true))
	if err != nil {
		return errors.Join(fmt.Errorf("open database for reading: %w", err), db.write.Close())
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	db.read = newReader(pool)
	// The connection string has no option for it.
	err = retryWhileBusy(ctx, func() error { // the first statement connects, which turns the write-ahead log on
		_, err := db.write.ExecContext(ctx, "PRAGMA wal_autocheckpoint="+strconv.Itoa(walPages))
		return err
	})
	if err != nil {
		return errors.Join(fmt.Errorf("open database: %w", mapDriverError(err)), db.Close(ctx))
	}
	if err := db.limitSize(ctx); err != nil {
		return errors.Join(fmt.Errorf("open database: %w", mapDriverError(err)), db.Close(ctx))
	}
	return nil
}

// parseSQLiteURL splits what follows "sqlite:" into the file part of a SQLite URI and its extra query values.
func (db *DB) parseSQLiteURL(ctx context.Context, rest string) (string, url.Values, error) {
	query := url.Values{}
	if rest == ":memory:" {
		query.Set("vfs", "memdb")
		return "/headgate-" + strconv.FormatInt(memories.Add(1), 10), query, nil
	}
	path, err := filepath.Abs(rest)
	if err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	if err := refuseOrphanedLog(path); err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	if info, err := os.Stat(path); db.create != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0) {
		if err := db.create(path); err != nil {
			return "", nil, err
		}
	}
	// SQLite would create a world-readable file. The log and the shared index inherit the file's mode.
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
	if err := retryWhileBusy(ctx, func() error { return setPageSize(ctx, path) }); err != nil {
		return "", nil, fmt.Errorf("store url: %w", mapDriverError(err))
	}
	if db.file, err = os.Stat(path); err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	db.path = path
	query.Set("_journal_mode", "WAL")
	return (&url.URL{Path: path}).EscapedPath(), query, nil
}

// refuseOrphanedLog refuses to create a database beside the write-ahead log of a lost one: SQLite would delete the log
// and the last records with it.
func refuseOrphanedLog(path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		return nil
	}
	name := filepath.Base(path)
	return fmt.Errorf("%s is missing but %s-wal exists: the database was removed; put it back or restore a backup "+
		"(headgate restore), or move %s-wal away to start over", name, name, name)
}

// setPageSize sets the page size of an empty database. It cannot change once the database has content.
func setPageSize(ctx context.Context, path string) (err error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 {
		return err
	}
	db, err := sqlx.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_busy_timeout="+strconv.Itoa(busyTimeout))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // the page size is set per connection
	if _, err = db.ExecContext(ctx, "PRAGMA page_size="+strconv.Itoa(pageSize)); err != nil {
		return err
	}
	if _, err = db.ExecContext(ctx, "PRAGMA auto_vacuum=INCREMENTAL"); err != nil { // see ReleaseFreeSpace
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM") // writes the first page
	return err
}

// formatDSN returns the driver's data source name.
func formatDSN(name string, query url.Values, readOnly bool) string {
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
		q.Set("_secure_delete", "true") // overwrite deleted data; only the vault and batches delete
		q.Set("_mutex", "no")           // a connection has only one user at a time
	}
	return "file:" + name + "?" + q.Encode()
}
