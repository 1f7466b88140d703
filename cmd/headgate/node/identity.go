package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// identityFile holds the identity of the PostgreSQL database that was last served from here. Like nodeFile it is in the
// working directory. For SQLite it is beside the database and named like it, so that files in one folder do not mix.
const identityFile = "headgate.database"

// databaseIdentity is what a node remembers outside the database. Nothing inside of an emptied database tells it from a
// new one: the master password fits both.
type databaseIdentity struct {
	path  string // of the file; "" if nothing is remembered
	known string // the identity in the file; "" if there is none
	warns []string
}

// checkDatabase reads the identity before the migration, and refuses a database without records if there is one.
// A file that cannot be read is a warning.
func (i *databaseIdentity) checkDatabase(ctx context.Context, db *store.DB) error {
	switch {
	case db.Shared():
		i.path = identityFile
	case db.Path() != "":
		i.path = db.Path() + "-identity"
	default:
		return nil
	}
	b, err := os.ReadFile(i.path) // before the database: whoever wrote the file had found records
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			i.warnUnprotected(err)
			i.path = "" // it could not be replaced either
		}
		return nil
	}
	if i.known = strings.TrimSpace(string(b)); i.known == "" {
		return nil
	}
	found, err := vault.Identity(ctx, db)
	switch {
	case err != nil:
		return err
	case found == "":
		return fmt.Errorf("the database is empty, and %s says that this node has served one with records: they were removed, or `store.url` "+
			"leads to another database; restore a backup, or remove %[1]s to begin anew", filepath.Base(i.path))
	case found != i.known:
		i.warns = append(i.warns, fmt.Sprintf("the database is not the one that this node served last (%s): its records, keys and policies "+
			"are others; check `store.url` unless you moved on purpose", filepath.Base(i.path)))
	}
	return nil
}

// save writes the identity of a database that is about to be served. A folder that cannot be written is a warning.
func (i *databaseIdentity) save(ctx context.Context, db *store.DB) error {
	if i.path == "" {
		return nil
	}
	found, err := vault.Identity(ctx, db)
	if err != nil || found == "" || found == i.known {
		return err
	}
	if err := replaceFile(i.path, found+"\n"); err != nil {
		i.warnUnprotected(err)
	}
	return nil
}

func (i *databaseIdentity) warnUnprotected(err error) {
	var path *fs.PathError
	var link *os.LinkError
	switch { // folders are left out of what others may read
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	i.warns = append(i.warns, fmt.Sprintf("the identity of the database cannot be kept in %s (%v): if the database is emptied, the next "+
		"start will not notice; let the gateway read and write that file", filepath.Base(i.path), err))
}

// replaceFile writes a file of one line atomically. Its content is no secret.
func replaceFile(path, line string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// storeOptions returns the options for the database of a process, and what remembers it. A node of a fleet remembers
// nothing: its database is a copy, which its control plane fills again.
func storeOptions(cfg *config.Config) ([]store.Option, *databaseIdentity) {
	id := &databaseIdentity{}
	if isNode(cfg) {
		return []store.Option{store.WithRoom(int64(cfg.Fleet.Spool))}, id
	}
	return []store.Option{store.BeforeMigration(id.checkDatabase)}, id
}
