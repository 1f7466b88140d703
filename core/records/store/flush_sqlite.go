package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// sqliteFlusher writes batches through prepared statements on the writing connection. It calls the driver directly:
// database/sql would lock, box and convert every value, and allocate for each row.
type sqliteFlusher struct {
	db     *DB
	conn   driver.Conn // connection that the statements belong to
	begin  driver.StmtExecContext
	commit driver.StmtExecContext
	undo   driver.StmtExecContext
	audit  auditInsert
	chain  auditSQLite
	usage  usageInsert
	sums   sumsSQLite
	tokens tokenUpsert
	move   driver.StmtExecContext // moves node cursors
	// statements are all of these, prepared on conn.
	statements []driver.Stmt
}

// direct has no deadline on purpose: with one, the driver would run each statement in a new goroutine.
var direct = context.Background()

// write commits the batch or leaves the database unchanged.
func (f *sqliteFlusher) write(ctx context.Context, q *queue, s Sealer) error {
	release, err := f.db.acquireWriter(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := f.db.checkFile(); err != nil {
		return err
	}
	return f.runOnConnection(ctx, func() error {
		if _, err := f.begin.ExecContext(direct, nil); err != nil {
			return fmt.Errorf("begin traffic batch: %w", mapDriverError(err))
		}
		err := f.insert(q, s)
		if err == nil {
			if _, err = f.commit.ExecContext(direct, nil); err != nil {
				err = fmt.Errorf("commit traffic batch: %w", err)
			}
		}
		if err != nil {
			f.usage.series.forget()                // the rollback also removes new series
			_, _ = f.undo.ExecContext(direct, nil) // SQLite may have rolled back already; then this fails harmlessly
			return mapDriverError(err)
		}
		if s != nil && len(q.audit) > 0 {
			s.MarkDurable()
		}
		return nil
	})
}

func (f *sqliteFlusher) insert(q *queue, s Sealer) error {
	if err := f.audit.run(q, s, &f.chain); err != nil {
		return fmt.Errorf("write audit events: %w", err)
	}
	if err := f.writeMarks(q); err != nil {
		return fmt.Errorf("move cursors of nodes: %w", err)
	}
	if err := f.usage.run(q); err != nil {
		return fmt.Errorf("write usage records: %w", err)
	}
	if err := f.sums.run(q); err != nil {
		return fmt.Errorf("add up usage records: %w", err)
	}
	if err := f.tokens.run(q); err != nil {
		return fmt.Errorf("write vault tokens: %w", err)
	}
	return nil
}

// runOnConnection runs fn with the statements prepared on the writing connection.
func (f *sqliteFlusher) runOnConnection(ctx context.Context, fn func() error) (err error) {
	c, err := f.db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("writing connection: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Raw(func(dc any) error {
		conn, ok := dc.(driver.Conn)
		if !ok {
			return errors.New("writing connection: unknown driver")
		}
		if conn != f.conn {
			if err := f.prepare(conn); err != nil {
				return fmt.Errorf("prepare statements: %w", err)
			}
		}
		return fn()
	})
}

// prepare prepares all statements on a connection. Those of another connection ended with it.
func (f *sqliteFlusher) prepare(conn driver.Conn) (err error) {
	f.conn, f.statements = nil, nil
	defer func() {
		if err != nil {
			f.finalize()
		}
	}()
	for _, s := range []struct {
		into *driver.StmtExecContext
		text string
	}{
		{&f.begin, "BEGIN IMMEDIATE"},
		{&f.commit, "COMMIT"},
		{&f.undo, "ROLLBACK"},
		{&f.chain.insert, auditInsertSQL},
		{&f.chain.putHead, auditSaveHeadSQL},
		{&f.chain.mark, auditMarkSQL},
		{&f.chain.calls, countCallsSQL},
		{&f.usage.one, buildUsageInsert(1)},
		{&f.usage.many, buildUsageInsert(usageRows)},
		{&f.usage.series.insert, seriesInsertSQL},
		{&f.sums.hour, usageHourSQL},
		{&f.sums.day, usageDaySQL},
		{&f.sums.keyDay, usageKeyDaySQL},
		{&f.sums.pace, usagePaceSQL},
		{&f.sums.link, usageLinkSQL},
		{&f.tokens.upsert, tokenUpsertSQL},
		{&f.move, moveCursorSQL},
	} {
		if err := prepareStatement(f, conn, s.text, s.into); err != nil {
			return err
		}
	}
	if err := prepareStatement(f, conn, auditHeadSQL, &f.chain.readHead); err != nil {
		return err
	}
	if err := prepareStatement(f, conn, seriesFindSQL, &f.usage.series.find); err != nil {
		return err
	}
	f.usage.series.forget()
	f.conn = conn
	return nil
}

// prepareStatement prepares a statement of the type that into holds, to execute or to query. close finalizes it.
func prepareStatement[T any](f *sqliteFlusher, conn driver.Conn, text string, into *T) error {
	st, err := conn.Prepare(text)
	if err != nil {
		return err
	}
	f.statements = append(f.statements, st)
	t, ok := st.(T)
	if !ok {
		return errors.New("the driver lacks a way to use prepared statements")
	}
	*into = t
	return nil
}

// finalize ends the statements. SQLite keeps a closed connection and its files open as long as one of them is left.
func (f *sqliteFlusher) finalize() {
	for _, st := range f.statements {
		_ = st.Close() // nothing was written by it since its last step
	}
	f.statements = nil
}

// close finalizes the statements. If the connection is gone, so are they.
func (f *sqliteFlusher) close() {
	if f.conn == nil {
		return
	}
	release, err := f.db.acquireWriter(direct)
	if err != nil {
		return
	}
	defer release()
	old := f.conn
	_ = f.runOnConnection(direct, func() error {
		if f.conn != old {
			return nil
		}
		f.finalize()
		f.conn = nil
		return nil
	})
}

// queryRow reads the first row of a prepared query into dest. It returns sql.ErrNoRows for an empty result.
func queryRow(st driver.StmtQueryContext, args []driver.NamedValue, dest []driver.Value) error {
	rows, err := st.QueryContext(direct, args)
	if err != nil {
		return err
	}
	err = rows.Next(dest)
	if errors.Is(err, io.EOF) {
		err = sql.ErrNoRows
	}
	return errors.Join(err, rows.Close())
}

// execStatement executes a statement that is rare enough to allocate its arguments.
func execStatement(st driver.StmtExecContext, values ...driver.Value) error {
	_, err := st.ExecContext(direct, nameValues(values))
	return err
}

func nameValues(values []driver.Value) []driver.NamedValue {
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}
