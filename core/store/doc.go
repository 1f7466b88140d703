// Package store keeps Headgate's records in SQLite, one file per entity: tenants, keys, the audit chain, usage
// records and the vault's sealed tokens. It is the only package that knows an SQL driver.
//
// Two roads lead into the database. An administrative write is a method of DB; it is one immediate transaction that
// is durable before the method returns and that advances the configuration version. Traffic records go through a
// Writer, which gathers the records of all exchanges and commits them together, so that a governed request pays for
// bytes and not for a transaction.
//
// It may import the standard library, go-sqlite3, sqlx and goose, and nothing of Headgate.
package store
