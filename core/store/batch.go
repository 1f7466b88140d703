package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// flusher writes batches through statements that stay prepared on the writing connection. It talks to the driver
// directly: database/sql would take a lock, box and convert every value, and allocate for each row.
type flusher struct {
	conn   driver.Conn // whose statements these are
	begin  driver.StmtExecContext
	commit driver.StmtExecContext
	undo   driver.StmtExecContext
	audit  auditInsert
	usage  usageInsert
	tokens tokenUpsert
	empty  *queue // the last batch, for its memory
}

// direct has no deadline on purpose: with one, the driver runs each statement in a goroutine of its own.
var direct = context.Background()

func (f *flusher) spare() *queue {
	q := f.empty
	f.empty = nil
	if q == nil {
		q = &queue{}
	}
	return q
}

// write commits the batch, or leaves the database as it was.
func (f *flusher) write(ctx context.Context, db *DB, q *queue, s Sealer) error {
	release, err := db.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f.raw(ctx, db, func() error {
		if _, err := f.begin.ExecContext(direct, nil); err != nil {
			return fmt.Errorf("begin traffic batch: %w", err)
		}
		err := f.insert(q, s)
		if err == nil {
			if _, err = f.commit.ExecContext(direct, nil); err != nil {
				err = fmt.Errorf("commit traffic batch: %w", err)
			}
		}
		if err != nil {
			_, _ = f.undo.ExecContext(direct, nil) // SQLite may have rolled back by itself; then this says so, and no more
			return err
		}
		if s != nil && len(q.audit) > 0 {
			s.Committed()
		}
		return nil
	})
}

func (f *flusher) insert(q *queue, s Sealer) error {
	if err := f.audit.run(q, s); err != nil {
		return fmt.Errorf("write audit events: %w", err)
	}
	if err := f.usage.run(q); err != nil {
		return fmt.Errorf("write usage records: %w", err)
	}
	if err := f.tokens.run(q); err != nil {
		return fmt.Errorf("write vault tokens: %w", err)
	}
	return nil
}

// raw runs fn while the statements belong to the writing connection.
func (f *flusher) raw(ctx context.Context, db *DB, fn func() error) (err error) {
	c, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("writing connection: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Raw(func(dc any) error {
		conn, ok := dc.(driver.Conn)
		if !ok {
			return errors.New("writing connection: the driver is not one this package knows")
		}
		if conn != f.conn {
			if err := f.prepare(conn); err != nil {
				return fmt.Errorf("prepare statements: %w", err)
			}
		}
		return fn()
	})
}

func (f *flusher) prepare(conn driver.Conn) error {
	f.conn = nil
	for _, s := range []struct {
		into *driver.StmtExecContext
		text string
	}{
		{&f.begin, "BEGIN IMMEDIATE"},
		{&f.commit, "COMMIT"},
		{&f.undo, "ROLLBACK"},
		{&f.audit.insert, auditInsertSQL},
		{&f.audit.saveHead, auditSaveHeadSQL},
		{&f.usage.insert, usageInsertSQL},
		{&f.tokens.upsert, tokenUpsertSQL},
	} {
		st, err := prepareExec(conn, s.text)
		if err != nil {
			return err
		}
		*s.into = st
	}
	st, err := conn.Prepare(auditHeadSQL)
	if err != nil {
		return err
	}
	q, ok := st.(driver.StmtQueryContext)
	if !ok {
		return errors.New("the driver cannot query a prepared statement")
	}
	f.audit.readHead = q
	f.conn = conn
	return nil
}

func prepareExec(conn driver.Conn, text string) (driver.StmtExecContext, error) {
	st, err := conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	e, ok := st.(driver.StmtExecContext)
	if !ok {
		return nil, errors.New("the driver cannot run a prepared statement")
	}
	return e, nil
}

// close frees the statements. The connection may be gone already, and then they are as well.
func (f *flusher) close(db *DB) {
	if f.conn == nil {
		return
	}
	release, err := db.take(direct)
	if err != nil {
		return
	}
	defer release()
	old := f.conn
	_ = f.raw(direct, db, func() error {
		if f.conn != old {
			return nil
		}
		for _, s := range []any{
			f.begin, f.commit, f.undo, f.audit.insert, f.audit.saveHead, f.audit.readHead, f.usage.insert, f.tokens.upsert,
		} {
			if st, ok := s.(driver.Stmt); ok {
				_ = st.Close()
			}
		}
		f.conn = nil
		return nil
	})
}

// row reads the first row of a prepared query into dest; sql.ErrNoRows when there is none.
func row(st driver.StmtQueryContext, dest []driver.Value) error {
	rows, err := st.QueryContext(direct, nil)
	if err != nil {
		return err
	}
	err = rows.Next(dest)
	if errors.Is(err, io.EOF) {
		err = sql.ErrNoRows
	}
	return errors.Join(err, rows.Close())
}

// boxed keeps the interface value of a text that repeats from row to row, so that boxing it costs once.
type boxed struct {
	text  string
	value driver.Value
}

func (b *boxed) of(s string) driver.Value {
	if b.value == nil || s != b.text {
		own := string([]byte(s)) // s may be a view into the arena, which ends with the batch
		b.text, b.value = own, own
	}
	return b.value
}
