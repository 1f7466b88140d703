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

// connections is how many connections to PostgreSQL one process opens at most. Its exchanges need none.
const connections = 8

// Connections are closed after connectionIdle without use and connectionLife in all, so that a gateway finds its way
// to a server that took over.
const (
	connectionIdle = 5 * time.Minute
	connectionLife = time.Hour
)

// connectTimeout bounds an attempt to connect for which the URL names no connect_timeout.
const connectTimeout = 5 * time.Second

// openPostgres connects to the server that dbURL names.
func (db *DB) openPostgres(ctx context.Context, dbURL string) error {
	cfg, err := pgx.ParseConfig(dbURL)
	if err != nil {
		return errors.New(
			"store url: it cannot be read; write postgres://user:password@host:5432/database?sslmode=verify-full",
		) // the driver's words would show it
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	if !sets(dbURL, "default_query_exec_mode") {
		// A statement that stays prepared fails when a newer program adds a column to its table; and behind a pooler it
		// may be gone.
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

// postgresOldest is the oldest version that is supported, as server_version_num: all older ones have ended.
const postgresOldest = 140000

// checkPostgres refuses a server on which records would be stored wrong.
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
		return errors.New("synchronous_commit is off: what was acknowledged could be lost; turn it on for this user or database")
	}
	return nil
}

// sets says whether the URL sets a parameter.
func sets(dbURL, name string) bool {
	u, err := url.Parse(dbURL)
	return err == nil && u.Query().Has(name)
}
