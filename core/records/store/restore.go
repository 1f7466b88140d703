package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
)

// versionLeap is added to the configuration version of a restored database, so that it exceeds those that gateways have
// seen of the lost one.
const versionLeap = 1_000_000

// Restore installs a database that Backup wrote at dbURL after checking its integrity. It overwrites an existing
// database only if overwrite is requested, and never while a process has it open. The backup file does not change.
func Restore(ctx context.Context, dbURL, file string, overwrite bool) error {
	if err := restoreDatabase(ctx, dbURL, file, overwrite); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

func restoreDatabase(ctx context.Context, dbURL, file string, overwrite bool) (err error) {
	if isPostgres(dbURL) {
		return ErrPostgres
	}
	target, err := findSQLitePath(dbURL)
	if err != nil {
		return err
	}
	version, err := inspectBackup(ctx, file)
	if err != nil {
		return err
	}
	part, err := newPart(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removePart(part)) }()
	if err := copyFile(part, file); err != nil {
		return err
	}
	before, err := checkOverwrite(ctx, target, overwrite)
	if err != nil {
		return err
	}
	if err := setConfigVersion(ctx, part, max(version, before)+versionLeap); err != nil {
		return err
	}
	if err := removeAuxiliaryFiles(target); err != nil {
		return err
	}
	return commitFile(part, target)
}

// findSQLitePath returns the file that a URL names.
func findSQLitePath(dbURL string) (string, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(dbURL, "sqlite:"), "//")
	if !strings.HasPrefix(dbURL, "sqlite:") || path == "" || path == ":memory:" {
		return "", errors.New("store url: use sqlite:<path>")
	}
	return filepath.Abs(path)
}

func openLite(dsn string) (*sqlx.DB, error) {
	db, err := sqlx.Open("sqlite3", dsn)
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// checkOverwrite checks that the database at path may be overwritten: that the caller requested it, and that no process
// has it open, which it tests by leaving WAL mode. It returns the configuration version, or 0 if there is no database.
func checkOverwrite(ctx context.Context, path string, overwrite bool) (version int64, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if !overwrite {
		return 0, errors.New("the database already exists; --overwrite replaces it")
	}
	db, err := openLite("file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=1000")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var mode string
	err = mapDriverError(db.GetContext(ctx, &mode, "PRAGMA journal_mode=DELETE"))
	if errors.Is(err, ErrUnavailable) {
		return 0, errors.New("a process has the database open: stop the gateway first")
	}
	if err != nil {
		return 0, nil // damaged, which may be why it is being replaced
	}
	if err := db.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
		return 0, nil // damaged, or not a Headgate database
	}
	return version, nil
}

func copyFile(part, file string) (err error) {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(part, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// setConfigVersion raises the configuration version of a restored database. Its log of changes does not reach that version.
func setConfigVersion(ctx context.Context, path string, version int64) (err error) {
	db, err := openLite("file:" + (&url.URL{Path: path}).EscapedPath() + "?_synchronous=FULL&_journal_mode=DELETE")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err = db.ExecContext(ctx, "UPDATE config_version SET version = "+strconv.FormatInt(version, 10)); err != nil {
		return fmt.Errorf("set the configuration version: %w", mapDriverError(err))
	}
	return nil
}
