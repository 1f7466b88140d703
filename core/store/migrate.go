package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// migrateTries bounds how often a migration that lost a race against another process is looked at again.
const migrateTries = 5

// migrate applies the migrations that the database lacks. Two processes may start on one database at the same moment;
// on SQLite the one that comes second finds the tables made and has to read the schema version once more, on PostgreSQL
// it waits for the first.
func (db *DB) migrate(ctx context.Context) error {
	p, err := db.provider()
	for try := 1; err == nil; try++ {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		if try == migrateTries || ctx.Err() != nil || db.postgres {
			break
		}
		err = nil
		time.Sleep(time.Duration(try) * 20 * time.Millisecond)
	}
	return fmt.Errorf("migrate database: %w", named(err))
}

// provider knows the migrations. It is not to be closed: that would close the connections, which are ours.
func (db *DB) provider() (*goose.Provider, error) {
	dialect, dir := database.DialectSQLite3, "migrations/sqlite"
	// Migrations are numbered by subject, so a database may lack one with a smaller number than those it has.
	options := []goose.ProviderOption{goose.WithAllowOutofOrder(true)}
	if db.postgres {
		dialect, dir = database.DialectPostgres, "migrations/postgres"
		one, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(one))
	}
	files, err := fs.Sub(migrations, dir)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db.write.DB, files, options...)
}
