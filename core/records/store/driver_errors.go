package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// mapDriverError replaces an error of the driver by the error of this package that callers test for, if there is one.
func mapDriverError(err error) error {
	var own *storeError
	var lite sqlite3.Error
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case errors.As(err, &lite):
		return mapSQLiteError(err, &lite)
	case errors.As(err, &pg):
		return mapPostgresError(err, pg)
	case isConnectionLoss(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

func mapSQLiteError(err error, e *sqlite3.Error) error {
	switch e.Code {
	case sqlite3.ErrConstraint:
		switch e.ExtendedCode {
		case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey:
			return ErrExists
		case sqlite3.ErrConstraintForeignKey:
			return errOwnerMissing
		}
	case sqlite3.ErrFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case sqlite3.ErrIoErr:
		switch e.SystemErrno {
		case syscall.EFBIG, syscall.ENOSPC, syscall.EDQUOT:
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: another process holds it: %w", ErrUnavailable, err)
	}
	return err
}

// mapPostgresError goes by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
func mapPostgresError(err error, e *pgconn.PgError) error {
	switch {
	case e.Code == "23505": // unique_violation
		return ErrExists
	case e.Code == "23503": // foreign_key_violation
		return errOwnerMissing
	case e.Code == "22021", e.Code == "22P05": // character_not_in_repertoire, untranslatable_character
		return ErrBadText
	case e.Code == "53100": // disk_full
		return fmt.Errorf("%w: %w", ErrFull, err)
	case strings.HasPrefix(e.Code, "53"), // insufficient_resources
		strings.HasPrefix(e.Code, "57P"), // shutdown, cannot_connect_now
		strings.HasPrefix(e.Code, "08"),  // connection_exception
		e.Code == "25006",                // read_only_sql_transaction: a standby
		e.Code == "40P01", e.Code == "40001", e.Code == "55P03":
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isDeadlock reports whether PostgreSQL aborted a transaction because it and another one waited for each other.
func isDeadlock(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "40P01"
}

// isConnectionLoss reports whether the connection failed. An expired context of the caller does not count.
func isConnectionLoss(err error) bool {
	var connect *pgconn.ConnectError
	var op net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &connect), errors.As(err, &op):
		return true
	}
	// what pgx says of a connection that ended in the middle of a call
	for _, text := range []string{"unexpected EOF", "conn closed", "bad connection", "connection reset", "broken pipe"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
