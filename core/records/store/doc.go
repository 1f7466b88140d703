// Package store persists Headgate's records in SQLite or PostgreSQL, with one file per entity. It is the only package
// that knows an SQL driver. Each statement is written once for both databases, unless the file name ends with the name
// of one.
//
// There are two ways to write. An administrative write is a method of DB: one transaction, durable before the method
// returns, that advances the configuration version; see mutate. Traffic records go through a Writer, which collects the
// records of all exchanges and commits them together, so that a governed request pays for bytes and not for a
// transaction.
//
// It may import the standard library, go-sqlite3, pgx, sqlx, goose, and core for the records of policies.
package store
