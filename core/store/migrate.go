package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrateTries bounds how often a migration that lost a race against another process is looked at again.
const migrateTries = 5

// migrate applies the migrations that the database lacks. Two processes may start on one database at the same moment;
// the one that comes second finds the tables made and has to read the schema version once more.
func migrate(ctx context.Context, db *sql.DB) error {
	dir, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	for try := 1; ; try++ {
		err = migrateOnce(ctx, db, dir)
		if err == nil || try == migrateTries || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Duration(try) * 20 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

func migrateOnce(ctx context.Context, db *sql.DB, dir fs.FS) error {
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx) // the provider is not closed: that would close the connection, which is ours
	return err
}
