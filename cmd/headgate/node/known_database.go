package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// databasesFile lists the databases that gateways have kept records in from here, a line for each. It lies beside a SQLite file,
// or in the working directory for PostgreSQL. With a master password nothing else outside the database tells one that was
// emptied from one that is new: the same password fits both.
const databasesFile = "headgate.databases"

func knownPath(db *store.DB) string { return filepath.Join(filepath.Dir(db.Path()), databasesFile) }

// refuseEmptied refuses a database that has held records and is empty now.
func refuseEmptied(ctx context.Context, db *store.DB) error {
	known, err := readKnown(knownPath(db)) // before the database: a process that lists it has used it before
	if err != nil || !slices.Contains(known, db.Place()) {
		return err
	}
	fresh, err := vault.IsFresh(ctx, db)
	if err != nil || !fresh {
		return err
	}
	return fmt.Errorf("the database %s is empty, and %s says that it has held records: they were removed, or `store.url` leads to another "+
		"server; restore a backup, or remove its line from %[2]s to begin anew", db.Place(), databasesFile)
}

// rememberDatabase lists a database that is in use. A folder that cannot be written remembers nothing.
func rememberDatabase(db *store.DB) error {
	path := knownPath(db)
	known, err := readKnown(path)
	if err != nil || slices.Contains(known, db.Place()) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil { // a read-only folder is no reason not to serve
		return nil
	}
	_, err = f.WriteString(db.Place() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", databasesFile, err)
	}
	return nil
}

func readKnown(path string) ([]string, error) {
	b, err := os.ReadFile(filepath.Clean(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", databasesFile, err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n"), nil
}
