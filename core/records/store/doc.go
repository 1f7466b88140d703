// Package store keeps Headgate's records in SQLite or PostgreSQL, one file per entity. It is the only package that knows
// an SQL driver, and each statement is written once for both databases, unless its name ends with that of one.
//
// Two roads lead into the database. An administrative write is a method of DB; it is one transaction that is durable
// before the method returns and that advances the configuration version: see mutate. Traffic records go through a
// Writer, which gathers the records of all exchanges and commits them together, so that a governed request pays for
// bytes and not for a transaction.
//
// It may import the standard library, go-sqlite3, pgx, sqlx, goose, and core for the records of policies.
package store
