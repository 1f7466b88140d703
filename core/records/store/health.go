package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// healthEvery is the interval of a Writer's health checks.
const healthEvery = time.Second / 2

// CheckHealth returns the permanent fault of the database, if any: ErrGone or ErrCorrupt. It returns the result of the last
// check and does not touch the database.
func (db *DB) CheckHealth() error {
	if err := db.health.Load(); err != nil {
		return *err
	}
	return nil
}

// checkHealth checks the SQLite file through a new connection. Open connections would keep using their caches, even of
// a file that was unlinked.
func (db *DB) checkHealth(ctx context.Context) {
	if db.path == "" {
		return
	}
	err := db.checkFile()
	if err == nil {
		err = db.readOverNewConnection(ctx)
	}
	if err == nil || errors.Is(err, ErrGone) || errors.Is(err, ErrCorrupt) {
		db.setHealth(err)
	}
}

func (db *DB) setHealth(err error) {
	if err == nil {
		db.health.Store(nil)
		return
	}
	db.health.Store(&err)
}

// checkFile returns ErrGone unless the opened file still has its name; writes to an unlinked file are lost. It must not
// open the file: closing it would release SQLite's locks in this process.
func (db *DB) checkFile() error {
	if db.path == "" {
		return nil
	}
	info, err := os.Stat(db.path)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("look at the database file: %w", err)
	case err != nil, !os.SameFile(info, db.file):
		return ErrGone
	}
	return nil
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
