package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// connections is the maximum number of PostgreSQL connections per process. Exchanges need none.
const connections = 8

// Connections are closed after connectionIdle without use and after connectionLife at most, so that a gateway finds a
// server that took over.
const (
	connectionIdle = 5 * time.Minute
	connectionLife = time.Hour
)

// connectTimeout is the default of the URL's connect_timeout.
const connectTimeout = 5 * time.Second

// openPostgres connects to the server that dbURL names.
func (db *DB) openPostgres(ctx context.Context, dbURL string) error {
	cfg, err := pgx.ParseConfig(dbURL)
	if err != nil {
		return errors.New(
			"store url: it cannot be read; write postgres://user:password@host:5432/database?sslmode=verify-full",
		) // the driver's error would contain the URL
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	if !sets(dbURL, "default_query_exec_mode") {
		// A prepared statement fails once a newer program adds a column to its table, and a pooler may lose it.
		cfg.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "headgate"
	}
	db.postgres = true
	db.write = sqlx.NewDb(stdlib.OpenDB(*cfg), "pgx").Unsafe() // see newReader
	db.write.SetMaxOpenConns(connections)
	db.write.SetMaxIdleConns(connections)
	db.write.SetConnMaxIdleTime(connectionIdle)
	db.write.SetConnMaxLifetime(connectionLife)
	db.read = newReader(db.write)
	if err := db.checkPostgres(ctx); err != nil {
		return errors.Join(fmt.Errorf("open database: %w", mapDriverError(err)), db.write.Close())
	}
	return nil
}

// postgresOldest is the oldest supported version, as server_version_num. All older ones have reached their end of life.
const postgresOldest = 140000

// checkPostgres refuses a server that would store records incorrectly.
func (db *DB) checkPostgres(ctx context.Context) error {
	var s struct {
		Version  int    `db:"version"`
		Encoding string `db:"encoding"`
		Sync     string `db:"sync"`
	}
	err := db.read.GetContext(ctx, &s, `SELECT CAST(current_setting('server_version_num') AS INTEGER) AS version,
		current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS sync`)
	switch {
	case err != nil:
		return err
	case s.Version < postgresOldest:
		return fmt.Errorf("PostgreSQL %d is too old; use 14 or newer", s.Version/10000)
	case s.Encoding != "UTF8":
		return fmt.Errorf("the database is encoded in %s; create it with ENCODING 'UTF8'", s.Encoding)
	case s.Sync == "off":
		return errors.New("synchronous_commit is off, so acknowledged records could be lost; turn it on for this user or database")
	}
	return nil
}

// sets reports whether the URL sets a parameter.
func sets(dbURL, name string) bool {
	u, err := url.Parse(dbURL)
	return err == nil && u.Query().Has(name)
}
