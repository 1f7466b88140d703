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

// ErrPostgres means that a command is for SQLite alone.
var ErrPostgres error = &storeError{
	"the records are in PostgreSQL, whose own programs do that: pg_dump --format=custom --file=FILE URL, and pg_restore --clean --if-exists --dbname=URL FILE with all gateways stopped",
}

// Backup writes the database, as it stands at one moment, into a new file. Gateways go on meanwhile. The file gets its
// name when it is whole, on the disk and found to be sound. It holds what the database holds: sealed values, and not the
// master key that opens them.
func Backup(ctx context.Context, dbURL, file string) error {
	if err := backup(ctx, dbURL, file); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func backup(ctx context.Context, dbURL, file string) (err error) {
	if isPostgres(dbURL) {
		return ErrPostgres
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errors.New("the file is there already; name a new one"), err)
	}
	part, err := newPart(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removePart(part)) }()
	err = within(ctx, dbURL, func(db *DB) error {
		_, err := db.write.ExecContext(ctx, "VACUUM INTO ?", part)
		return mapDriverError(err)
	})
	if err != nil {
		return err
	}
	if _, err := inspect(ctx, part); err != nil {
		return err
	}
	return settle(part, file)
}

// newPart makes an empty file beside the one that it is to become; nobody else may read it.
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
	return errors.Join(removeIfThere(part), removeBeside(part))
}

// removeBeside removes what SQLite keeps beside a database, which it would take for that of any file of the same name.
func removeBeside(path string) error {
	return errors.Join(removeIfThere(path+"-wal"), removeIfThere(path+"-shm"), removeIfThere(path+"-journal"))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// settle puts a file on the disk and then in its place.
func settle(part, file string) error {
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

// inspect checks that a file is a whole database of this program or of one before it, and answers its configuration
// version. Nothing is changed.
func inspect(ctx context.Context, file string) (version int64, err error) {
	if file, err = filepath.Abs(file); err != nil {
		return 0, err
	}
	// immutable: the file is nobody's, and no other files are made beside it
	db, err := openLite("file:" + (&url.URL{Path: file}).EscapedPath() + "?mode=ro&immutable=1")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var found string
	if err := db.GetContext(ctx, &found, "PRAGMA integrity_check(1)"); err != nil {
		return 0, fmt.Errorf("the file is no whole database: %w", mapDriverError(err))
	}
	if found != "ok" {
		return 0, errors.New("the file is no whole database: its integrity check fails")
	}
	if err := db.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
		return 0, errors.New("the file is a database, and not one of headgate")
	}
	list, err := (&DB{write: db}).migrations(ctx)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, errors.New("the file is a database, and not one of headgate")
	}
	return version, nil
}
