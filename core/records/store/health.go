package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// healthEvery is how often a Writer checks the health of its database.
const healthEvery = time.Second / 2

// Health returns what is wrong with the database beyond being away for a while: ErrGone or ErrCorrupt. It returns what the
// last check has found and does not touch the database.
func (db *DB) Health() error {
	if err := db.health.Load(); err != nil {
		return *err
	}
	return nil
}

// checkHealth looks at the file of SQLite as somebody who opens it now would: connections that are open go on with what
// they have cached, and with a file that has lost its name.
func (db *DB) checkHealth(ctx context.Context) {
	if db.path == "" {
		return
	}
	err := db.checkFile()
	if err == nil {
		err = db.readFresh(ctx)
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

// checkFile returns ErrGone unless the file that was opened still has its name: what is written to any other is lost.
// It must not open the file: closing it would take away the locks that SQLite holds in this process.
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

// readFresh reads a row of the database over a connection of its own.
func (db *DB) readFresh(ctx context.Context) (err error) {
	fresh, err := openLite("file:" + (&url.URL{Path: db.path}).EscapedPath() + "?mode=ro&_busy_timeout=1000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	var version int64
	return mapDriverError(fresh.GetContext(ctx, &version, "SELECT version FROM config_version"))
}
