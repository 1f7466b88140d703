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

// memories numbers the in-memory databases of this process, which share one name space.
var memories atomic.Int64

// openSQLite opens the file that rest names, without a look at what is in it.
func (db *DB) openSQLite(ctx context.Context, rest string) error {
	if rest == "" {
		return errors.New("store url: sqlite: wants a path, as in sqlite:headgate.db")
	}
	name, query, err := db.locate(rest)
	if err != nil {
		return err
	}
	db.turn = make(chan struct{}, 1)
	db.turn <- struct{}{}
	if db.write, err = sqlx.Open("sqlite3", dsn(name, query, false)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.write = db.write.Unsafe() // see newReader
	db.write.SetMaxOpenConns(1)
	pool, err := sqlx.Open("sqlite3", dsn(name, query, true))
	if err != nil {
		return errors.Join(fmt.Errorf("open database for reading: %w", err), db.write.Close())
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	db.read = newReader(pool)
	// The connection string cannot say it.
	if _, err := db.write.ExecContext(ctx, "PRAGMA wal_autocheckpoint="+strconv.Itoa(walPages)); err != nil {
		return errors.Join(fmt.Errorf("open database: %w", mapDriverError(err)), db.Close(ctx))
	}
	if err := db.bound(ctx); err != nil {
		return errors.Join(fmt.Errorf("open database: %w", mapDriverError(err)), db.Close(ctx))
	}
	return nil
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
	if err := refuseOrphanedLog(path); err != nil {
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
	if db.file, err = os.Stat(path); err != nil {
		return "", nil, fmt.Errorf("store url: %w", err)
	}
	db.path = path
	query.Set("_journal_mode", "WAL")
	return (&url.URL{Path: path}).EscapedPath(), query, nil
}

// refuseOrphanedLog refuses to create a database beside the write-ahead log of one that is gone: SQLite would delete the log,
// and with it the last records.
func refuseOrphanedLog(path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		return nil
	}
	name := filepath.Base(path)
	return fmt.Errorf("%s is missing and %s-wal is there: the database was removed; put it back or restore a backup "+
		"(headgate restore), or move %s-wal away to begin anew", name, name, name)
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
	if _, err = db.Exec("PRAGMA auto_vacuum=INCREMENTAL"); err != nil { // see GiveBack
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
