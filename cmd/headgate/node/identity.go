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
const (
	identityFile   = "headgate.database"
	sqliteIdentity = "-identity" // follows the name of the database
)

// databaseIdentity is what a node remembers outside the database. The content of an emptied database does not
// distinguish it from a new one: the master password fits both.
type databaseIdentity struct {
	path     string // of the file; "" if nothing is remembered
	known    string // the identity in the file; "" without a file
	existing bool   // the process only reads: it must not initialize a database
	unsealed bool   // it reads a database without a master key too, such as one that only `migrate up` has opened
	warns    []string
}

// errNoRecords is the error of a command that reads an empty database. Initializing one would store the salt or the
// key, and an emptied database with a salt looks like one in use.
var errNoRecords = errors.New("the database is empty: `store.url` names another one than the gateway's, or no gateway has served " +
	"from it yet, or its records were removed; headgate serve begins a new one")

// checkFile refuses to create the SQLite database at path if there was one, or if the process only reads.
func (i *databaseIdentity) checkFile(path string) error {
	i.read(path + sqliteIdentity)
	switch {
	case i.known != "":
		return i.newEmptyDatabaseError(false)
	case i.existing:
		return refuseCreation(path)
	}
	return nil
}

// checkDatabase reads the identity before the migration, and refuses a database without records if there is one.
// A file that cannot be read is a warning.
func (i *databaseIdentity) checkDatabase(ctx context.Context, db *store.DB) error {
	switch {
	case db.IsShared():
		i.read(identityFile)
	case db.Path() != "":
		i.read(db.Path() + sqliteIdentity)
	default:
		return nil
	}
	if i.known == "" && !i.existing {
		return nil
	}
	found, _, err := vault.FindIdentity(ctx, db) // read after the file, because the writer of the file had found records
	switch {
	case err != nil:
		return err
	case found == "" && i.known != "":
		return i.newEmptyDatabaseError(db.IsShared())
	case found == "" && i.unsealed:
		return refuseUnmigrated(ctx, db)
	case found == "":
		return errNoRecords
	case i.known == "" || found == i.known:
		return nil
	}
	chains, err := db.Audit().ListHeads(ctx)
	if err != nil {
		return err
	}
	if len(chains) == 0 {
		return fmt.Errorf("the database has no audit log, and %s says that this node has served one that had: its records were removed and "+
			"another command has initialized it again, or `store.url` leads to another database; %s", i.resolvePath(), i.suggestRemedy(db.IsShared()))
	}
	i.warns = append(i.warns, fmt.Sprintf("the database is not the one that this node served last (%s): its records, keys and policies "+
		"are others; check `store.url` unless you moved on purpose", filepath.Base(i.path)))
	return nil
}

// read reads the identity from path.
func (i *databaseIdentity) read(path string) {
	i.warns = nil // may be read twice
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.path = path
		i.warnUnprotected(err)
		i.path = "" // it could not be replaced either
		return
	}
	i.path, i.known = path, strings.TrimSpace(string(b))
}

func (i *databaseIdentity) newEmptyDatabaseError(shared bool) error {
	return fmt.Errorf("the database is empty, and %s says that this node has served one with records: they were removed, or `store.url` "+
		"leads to another database; %s", i.resolvePath(), i.suggestRemedy(shared))
}

func (i *databaseIdentity) suggestRemedy(shared bool) string {
	text := fmt.Sprintf("restore a backup, or remove %s to start with an empty database", i.resolvePath())
	if shared {
		text += "; gateways with databases of their own want a working directory each"
	}
	return text
}

// resolvePath returns the absolute path of the file, because operators often do not know the working directory of the process.
func (i *databaseIdentity) resolvePath() string {
	if path, err := filepath.Abs(i.path); err == nil {
		return path
	}
	return i.path
}

// save writes the identity of a database that is about to be served. A folder that cannot be written is a warning.
func (i *databaseIdentity) save(ctx context.Context, db *store.DB) error {
	if i.path == "" {
		return nil
	}
	found, sealedByPassword, err := vault.FindIdentity(ctx, db)
	if err != nil || found == "" || found == i.known {
		return err
	}
	if i.known == "" && !sealedByPassword {
		return nil // the key file identifies it
	}
	if err := replaceFile(i.path, found+"\n"); err != nil {
		i.warnUnprotected(err)
	}
	return nil
}

func (i *databaseIdentity) warnUnprotected(err error) {
	var path *fs.PathError
	var link *os.LinkError
	switch { // the message must not name folders
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	i.warns = append(i.warns, fmt.Sprintf("the identity of the database cannot be kept in %s (%v): if the database is emptied, the next "+
		"start will not notice; let the gateway read and write that file", filepath.Base(i.path), err))
}

// replaceFile writes a file of one line atomically. Its content is not a secret.
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

// buildStoreOptions returns the options for the database of a process with an identity. A process that only reads does
// not initialize a database. A node of a fleet remembers nothing: its database is a copy, which its control plane
// restores.
func buildStoreOptions(cfg *config.Config, id *databaseIdentity) []store.Option {
	if isNode(cfg) {
		opts := []store.Option{store.WithRoom(int64(cfg.Fleet.Spool))}
		if id.existing {
			opts = append(opts, store.WithCreationCheck(refuseCreation))
		}
		return opts
	}
	return []store.Option{store.WithCreationCheck(id.checkFile), store.WithMigrationCheck(id.checkDatabase)}
}
