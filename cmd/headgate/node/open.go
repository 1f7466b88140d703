package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// OpenDatabase opens the database for a command that needs no master key.
func (f *Options) OpenDatabase(ctx context.Context, cfg *config.Config) (*store.DB, error) {
	if !f.ReadOnly {
		return store.Open(ctx, cfg.Store.URL)
	}
	return store.Open(ctx, cfg.Store.URL, store.WithCreationCheck(refuseCreation), store.WithMigrationCheck(refuseUnmigrated))
}

// OpenRecords opens the database and the keys that seal its records for a command.
func (f *Options) OpenRecords(ctx context.Context, cfg *config.Config) (*Records, error) {
	return openStore(ctx, cfg, &databaseIdentity{existing: f.ReadOnly, unsealed: f.ReadOnly})
}

// refuseCreation is the check of a process that only reads before SQLite would create a file at path.
func refuseCreation(path string) error {
	return fmt.Errorf("no database at %s; run `headgate serve` first, or name it with --config or --set store.url=...", path)
}

// refuseUnmigrated is the check of a process that only reads before the tables are created. A database in memory
// has none, and leaves nothing behind.
func refuseUnmigrated(ctx context.Context, db *store.DB) error {
	exist, err := db.Settings().HasTable(ctx)
	if err != nil || exist || !db.IsShared() && db.Path() == "" {
		return err
	}
	return errNoRecords
}

// createPassingMaster returns a key that ends with the process if the database has none yet, so that nothing in it is
// sealed. It returns nil if there is a key, or a key file whose database was emptied.
func createPassingMaster(ctx context.Context, db *store.DB) (*vault.Master, error) {
	known, _, err := vault.FindIdentity(ctx, db)
	if err != nil || known != "" {
		return nil, err
	}
	if db.Path() != "" {
		_, err := os.Lstat(filepath.Join(filepath.Dir(db.Path()), vault.KeyFileName))
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return vault.OpenShared(key)
}
