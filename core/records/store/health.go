package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// healthEvery is the interval of a Writer's health checks. Each looks at the file's entry; every readEvery-th reads the database as
// well, and so does each that finds the file changed or the database unhealthy.
const (
	healthEvery = time.Second / 2
	readEvery   = 10
)

// healthCheck checks the health of a database again and again. A read over a new connection parses the whole schema, so an idle
// database is read seldom.
type healthCheck struct {
	db     *DB
	file   os.FileInfo // the file when it was last read; nil before the first read
	rounds int         // checks since the last read
}

// CheckHealth returns the permanent fault of the database, if any: ErrGone or ErrCorrupt. It returns the result of the last
// check and does not touch the database.
func (db *DB) CheckHealth() error {
	if err := db.health.Load(); err != nil {
		return *err
	}
	return nil
}

// run checks the SQLite file, if it is due through a new connection. Open connections would keep using their caches, even of
// a file that was unlinked.
func (c *healthCheck) run(ctx context.Context) {
	if c.db.path == "" {
		return
	}
	c.rounds++
	info, err := statFile(c.db)
	if err == nil {
		if !c.isReadDue(info) {
			return
		}
		if err = c.db.readOverNewConnection(ctx); err == nil {
			c.file, c.rounds = info, 0
		}
	}
	if err == nil || errors.Is(err, ErrGone) || errors.Is(err, ErrCorrupt) {
		c.db.setHealth(err)
	}
}

// isReadDue reports whether the database is to be read, given its file.
func (c *healthCheck) isReadDue(now os.FileInfo) bool {
	return c.file == nil || c.rounds >= readEvery || c.db.CheckHealth() != nil ||
		now.Size() != c.file.Size() || !now.ModTime().Equal(c.file.ModTime())
}

func (db *DB) setHealth(err error) {
	if err == nil {
		db.health.Store(nil)
		return
	}
	db.health.Store(&err)
}

// checkFile returns ErrGone unless the opened file still has its name; writes to an unlinked file are lost.
func (db *DB) checkFile() error {
	if db.path == "" {
		return nil
	}
	_, err := statFile(db)
	return err
}

// statFile returns the entry of a database's file, or ErrGone unless it is still the file that was opened. It must not open the
// file: closing it would release SQLite's locks in this process.
func statFile(db *DB) (os.FileInfo, error) {
	info, err := os.Stat(db.path)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("inspect the database file: %w", err)
	case err != nil, !os.SameFile(info, db.file):
		return nil, ErrGone
	}
	return info, nil
}

// readOverNewConnection reads a row of the database over a new connection.
func (db *DB) readOverNewConnection(ctx context.Context) (err error) {
	fresh, err := openLite("file:" + (&url.URL{Path: db.path}).EscapedPath() + "?mode=ro&_busy_timeout=1000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	var version int64
	return mapDriverError(fresh.GetContext(ctx, &version, "SELECT version FROM config_version"))
}
