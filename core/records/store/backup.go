package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// ErrPostgres means that a command supports only SQLite.
var ErrPostgres error = &storeError{
	"the records are in PostgreSQL, whose own programs do that: pg_dump --format=custom --file=FILE URL, and pg_restore --clean --if-exists --dbname=URL FILE with all gateways stopped",
}

// Backup writes a snapshot of the database into a new file while gateways continue. The file gets its name once it is
// complete, on disk and checked. It contains what the database contains: sealed values, but not the master key that
// opens them.
func Backup(ctx context.Context, dbURL, file string) error {
	if err := backupDatabase(ctx, dbURL, file); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func backupDatabase(ctx context.Context, dbURL, file string) (err error) {
	if isPostgres(dbURL) {
		return ErrPostgres
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errors.New("the file already exists; name a new one"), err)
	}
	part, err := newPart(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removePart(part)) }()
	err = runUnmigrated(ctx, dbURL, func(db *DB) error {
		_, err := db.write.ExecContext(ctx, "VACUUM INTO ?", part)
		return mapDriverError(err)
	})
	if err != nil {
		return err
	}
	if _, err := inspectBackup(ctx, part); err != nil {
		return err
	}
	return commitFile(part, file)
}

// newPart creates an empty temporary file beside the final one, readable only by its owner.
func newPart(file string) (string, error) {
	part := file + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", errors.New(
			"a file of the same name with .part behind it is there: another one is being written, or was left by one that was killed; then remove it",
		)
	}
	if err != nil {
		return "", err
	}
	return part, f.Close()
}

func removePart(part string) error {
	return errors.Join(removeIfThere(part), removeAuxiliaryFiles(part))
}

// removeAuxiliaryFiles removes SQLite's auxiliary files, which SQLite would apply to any database of the same name.
func removeAuxiliaryFiles(path string) error {
	return errors.Join(removeIfThere(path+"-wal"), removeIfThere(path+"-shm"), removeIfThere(path+"-journal"))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// commitFile syncs a file to disk and renames it into place.
func commitFile(part, file string) error {
	for _, step := range []func() error{
		func() error { return syncFile(part) },
		func() error { return os.Rename(part, file) },
		func() error { return syncFile(filepath.Dir(file)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func isPostgres(dbURL string) bool {
	return strings.HasPrefix(dbURL, "postgres:") || strings.HasPrefix(dbURL, "postgresql:")
}

// inspectBackup checks that a file is a complete database of this or an earlier version, and returns its configuration
// version. It changes nothing.
func inspectBackup(ctx context.Context, file string) (version int64, err error) {
	if file, err = filepath.Abs(file); err != nil {
		return 0, err
	}
	// immutable: no process uses the file, and SQLite must not create files beside it
	db, err := openLite("file:" + (&url.URL{Path: file}).EscapedPath() + "?mode=ro&immutable=1")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var found string
	if err := db.GetContext(ctx, &found, "PRAGMA integrity_check(1)"); err != nil {
		return 0, fmt.Errorf("the file is not a complete database: %w", mapDriverError(err))
	}
	if found != "ok" {
		return 0, errors.New("the file is not a complete database: its integrity check fails")
	}
	if err := db.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
		return 0, errors.New("the file is a database, and not one of headgate")
	}
	list, err := (&DB{write: db}).listMigrations(ctx)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, errors.New("the file is a database, and not one of headgate")
	}
	return version, nil
}
