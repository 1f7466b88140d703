package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed migrations
var migrations embed.FS

// migrateTries bounds the retries of a migration that lost a race against another process.
const migrateTries = 5

// Migration is a schema migration.
type Migration struct {
	Version int64
	Name    string    // file name; "" if this program does not know it
	Applied time.Time // zero if pending
}

// ListMigrations returns the applied and the pending migrations, sorted by number. It changes nothing, except that an empty
// SQLite database gets the table of applied migrations. It returns the list together with ErrNewer if the database has
// migrations that this program does not know.
func ListMigrations(ctx context.Context, dbURL string) (list []Migration, err error) {
	err = runUnmigrated(ctx, dbURL, func(db *DB) error {
		list, err = db.listMigrations(ctx)
		return err
	})
	return list, err
}

// Migrate applies the pending migrations and returns them. Open does the same. Running gateways continue meanwhile.
func Migrate(ctx context.Context, dbURL string) (taken []Migration, err error) {
	db, err := connectDatabase(ctx, dbURL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	return db.migrate(ctx)
}

// runUnmigrated runs fn on an existing database without migrating it.
func runUnmigrated(ctx context.Context, dbURL string, fn func(*DB) error) (err error) {
	if rest, ok := strings.CutPrefix(dbURL, "sqlite:"); ok && rest != "" {
		if _, err := os.Stat(strings.TrimPrefix(rest, "//")); err != nil {
			return errors.New("no database yet; create it with headgate migrate up or headgate serve")
		}
	}
	db, err := connectDatabase(ctx, dbURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	return fn(db)
}

// migrate applies the pending migrations. Two processes may start on one database at the same time. On SQLite the
// second one finds the tables created and must check again; on PostgreSQL it waits for the first.
func (db *DB) migrate(ctx context.Context) (taken []Migration, err error) {
	for try := 1; ; try++ {
		taken, err = db.migrateOnce(ctx)
		if err == nil || errors.Is(err, ErrNewer) || try == migrateTries || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Duration(try) * 20 * time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("migrate database: %w", mapDriverError(err))
	}
	return taken, nil
}

// migrationLock is the number of the PostgreSQL advisory lock that a migrating process holds.
const migrationLock = 0x6865616467617465

// lockMigrations keeps other processes from migrating until the returned function is called. On SQLite it does nothing.
func (db *DB) lockMigrations(ctx context.Context) (release func() error, err error) {
	if !db.postgres {
		return func() error { return nil }, nil
	}
	c, err := db.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return func() error {
		_, err := c.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
		return errors.Join(err, c.Close())
	}, nil
}

func (db *DB) migrateOnce(ctx context.Context) (taken []Migration, err error) {
	release, err := db.lockMigrations(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	list, err := db.listMigrations(ctx)
	if err != nil || !slices.ContainsFunc(list, func(m Migration) bool { return m.Applied.IsZero() }) {
		return nil, err
	}
	p, _, err := db.newProvider()
	if err != nil {
		return nil, err
	}
	done, err := p.Up(ctx)
	for _, d := range done {
		taken = append(taken, Migration{d.Source.Version, parseMigrationName(d.Source.Path), db.now()})
	}
	return taken, err
}

// listMigrations is ListMigrations for an open database.
func (db *DB) listMigrations(ctx context.Context) (list []Migration, err error) {
	p, table, err := db.newProvider()
	if err != nil {
		return nil, err
	}
	known := map[int64]bool{}
	status, err := p.Status(ctx) // creates the table if it is missing
	if err != nil {
		return nil, mapDriverError(err)
	}
	for _, s := range status {
		known[s.Source.Version] = true
		list = append(list, Migration{s.Source.Version, parseMigrationName(s.Source.Path), s.AppliedAt.UTC()})
	}
	applied, err := table.ListMigrations(ctx, db.write.DB)
	if err != nil {
		return nil, mapDriverError(err)
	}
	unknown := []string(nil)
	for _, a := range applied {
		if a.Version > 0 && a.IsApplied && !known[a.Version] {
			known[a.Version] = true
			unknown = append(unknown, fmt.Sprint(a.Version))
			list = append(list, Migration{Version: a.Version})
		}
	}
	if len(unknown) > 0 {
		return list, fmt.Errorf("%w: it has migrations that this one does not know (%s)", ErrNewer, strings.Join(unknown, ", "))
	}
	return list, nil
}

// parseMigrationName returns the display name of a migration.
func parseMigrationName(path string) string {
	_, rest, _ := strings.Cut(strings.TrimSuffix(path, ".sql"), "_")
	return rest
}

// newProvider returns the goose provider. Do not close it: that would close the database's connections.
func (db *DB) newProvider() (*goose.Provider, database.Store, error) {
	dialect, dir := database.DialectSQLite3, "migrations/sqlite"
	// Migrations are numbered by subject, so pending ones may have lower numbers than applied ones.
	options := []goose.ProviderOption{goose.WithAllowOutofOrder(true)}
	if db.postgres {
		dialect, dir = database.DialectPostgres, "migrations/postgres"
	}
	files, err := fs.Sub(migrations, dir)
	if err != nil {
		return nil, nil, err
	}
	table, err := database.NewStore(dialect, goose.DefaultTablename)
	if err != nil {
		return nil, nil, err
	}
	p, err := goose.NewProvider(dialect, db.write.DB, files, options...)
	return p, table, err
}
