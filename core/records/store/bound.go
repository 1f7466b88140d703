package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// querier is the common interface of a connection pool and a transaction.
type querier interface {
	sqlx.ExtContext
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	BindNamed(query string, arg any) (string, []any, error)
	Rebind(query string) string
}

// bound runs statements that are written once for both databases. Parameters are written as ?, and boolean values
// become 0 and 1, which both databases store. Every ? in a statement is a parameter, even within quotes.
type bound struct{ on querier }

// GetContext reads one row into dest, or returns sql.ErrNoRows.
func (b bound) GetContext(ctx context.Context, dest any, query string, args ...any) error {
	return mapStatementError(b.on.GetContext(ctx, dest, b.on.Rebind(query), convertBools(args)...))
}

// SelectContext reads all rows into the slice that dest points to.
func (b bound) SelectContext(ctx context.Context, dest any, query string, args ...any) error {
	return mapStatementError(b.on.SelectContext(ctx, dest, b.on.Rebind(query), convertBools(args)...))
}

// QueryxContext returns rows, which the caller closes.
func (b bound) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	rows, err := b.on.QueryxContext(ctx, b.on.Rebind(query), convertBools(args)...)
	return rows, mapStatementError(err)
}

// QueryContext returns rows, which the caller closes.
func (b bound) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := b.on.QueryContext(ctx, b.on.Rebind(query), convertBools(args)...)
	return rows, mapStatementError(err)
}

// QueryRowContext returns one row; its Scan returns the error.
func (b bound) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return b.on.QueryRowContext(ctx, b.on.Rebind(query), convertBools(args)...)
}

// ExecContext runs a statement that returns no rows.
func (b bound) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := b.on.ExecContext(ctx, b.on.Rebind(query), convertBools(args)...)
	return res, mapStatementError(err)
}

// NamedExecContext is ExecContext with parameters written as :name, which name fields of arg or, for a slice, of each
// element. Write casts as CAST(… AS …), because :: would be parsed as a name.
func (b bound) NamedExecContext(ctx context.Context, query string, arg any) (sql.Result, error) {
	text, args, err := b.on.BindNamed(query, arg)
	if err != nil {
		return nil, err
	}
	res, err := b.on.ExecContext(ctx, text, convertBools(args)...)
	return res, mapStatementError(err)
}

// convertBools replaces booleans by the numbers that are stored, in args itself.
func convertBools(args []any) []any {
	for i, v := range args {
		if on, ok := v.(bool); ok {
			args[i] = int64(0)
			if on {
				args[i] = int64(1)
			}
		}
	}
	return args
}

// mapStatementError is mapDriverError for single statements: a missing row may be expected there, so sql.ErrNoRows stays.
func mapStatementError(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return mapDriverError(err)
}

// reader reads from a connection pool. On SQLite its connections are read-only.
type reader struct {
	bound
	pool *sqlx.DB
}

// newReader returns a reader of pool. It ignores columns without a field, so that a program keeps working after a newer
// one has added columns.
func newReader(pool *sqlx.DB) reader {
	pool = pool.Unsafe()
	return reader{bound{pool}, pool}
}

// Close closes the connections.
func (r reader) Close() error {
	if r.pool == nil {
		return nil
	}
	return r.pool.Close()
}

// readSnapshot runs fn in a transaction that reads one snapshot of the database.
func (r reader) readSnapshot(ctx context.Context, fn func(tx *Tx) error) (err error) {
	raw, err := r.pool.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return mapStatementError(err)
	}
	defer func() { // there is nothing to commit
		if e := raw.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) {
			err = errors.Join(err, fmt.Errorf("end of reading: %w", e))
		}
	}()
	return fn(&Tx{bound: bound{raw}})
}

// Tx is a transaction. Its statements are those of bound.
type Tx struct {
	bound
	postgres bool
	changes  []Change
}

// buildLockClause ends a SELECT whose row the transaction will change. On PostgreSQL it locks the row; SQLite has only
// one writer.
func (tx *Tx) buildLockClause() string {
	if tx.postgres {
		return " FOR UPDATE"
	}
	return ""
}

// buildSkipLockedClause is buildLockClause for rows that another transaction may have as well: those that are locked
// are left out.
func (tx *Tx) buildSkipLockedClause() string {
	if tx.postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}
