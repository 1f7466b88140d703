package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// batchTimeout is the timeout of an attempt to write a batch, after which the writer abandons a silent server for
// another connection.
const batchTimeout = 30 * time.Second

// writerKept is how long the row of a stopped writer is kept.
const writerKept = 30 * 24 * time.Hour

// postgresFlusher writes batches to PostgreSQL, where other nodes write as well. If a connection breaks during COMMIT,
// it is unknown whether the batch was written. Batches are therefore numbered, and each transaction starts by storing
// its number in the writer's row. An attempt that finds its own number there knows that an earlier one succeeded. An
// attempt still running on the server holds the row, so the next one waits for it.
type postgresFlusher struct {
	db     *DB
	id     string // of this writer
	number int64  // of the current batch
	audit  auditInsert
	usage  usageCopy
	sums   sumsPostgres
	tokens tokenBatch
}

func (f *postgresFlusher) write(ctx context.Context, q *queue, s Sealer) error {
	if f.id == "" {
		f.id, f.number = rand.Text(), 1
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	sealed, err := f.attempt(ctx, q, s)
	if err != nil {
		return fmt.Errorf("write traffic batch: %w", mapDriverError(err))
	}
	f.number++
	if sealed {
		s.MarkDurable()
	}
	return nil
}

// attempt writes the batch in a transaction. It reports whether the batch extended the chain. Otherwise the batch had
// nothing to seal or was already stored, and the chain resumes from the stored head.
func (f *postgresFlusher) attempt(ctx context.Context, q *queue, s Sealer) (sealed bool, err error) {
	err = f.runOnConnection(ctx, func(conn *pgx.Conn) error {
		if err := f.usage.series.loadNumbers(ctx, conn, q); err != nil {
			return fmt.Errorf("number usage series: %w", err)
		}
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // no effect after a commit
		fresh, err := f.recordBatch(ctx, tx)
		if err != nil || !fresh {
			return err
		}
		if err := f.audit.run(q, s, &auditPostgres{ctx, tx}); err != nil {
			return fmt.Errorf("audit events: %w", err)
		}
		if err := f.writeMarks(ctx, tx, q); err != nil {
			return fmt.Errorf("cursors of nodes: %w", err)
		}
		if err := f.usage.run(ctx, tx, q); err != nil {
			return fmt.Errorf("usage records: %w", err)
		}
		if err := f.sums.run(ctx, tx, q); err != nil {
			return fmt.Errorf("sums of usage records: %w", err)
		}
		if err := f.tokens.run(ctx, tx, q); err != nil {
			return fmt.Errorf("vault tokens: %w", err)
		}
		sealed = len(q.audit) > 0
		return tx.Commit(ctx)
	})
	return sealed, err
}

// recordBatch stores the number of the batch and reports whether it is new.
func (f *postgresFlusher) recordBatch(ctx context.Context, tx pgx.Tx) (fresh bool, err error) {
	now := f.db.now()
	if f.number == 1 {
		if _, err := tx.Exec(ctx, "DELETE FROM traffic_writer WHERE at < $1", now.Add(-writerKept).UnixMicro()); err != nil {
			return false, err
		}
	}
	tag, err := tx.Exec(ctx, `INSERT INTO traffic_writer (id, batch, at) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE traffic_writer.batch < excluded.batch`,
		f.id, f.number, now.UnixMicro())
	return err == nil && tag.RowsAffected() == 1, err
}

// runOnConnection runs fn on a connection through the driver's own API, because database/sql does not support COPY.
func (f *postgresFlusher) runOnConnection(ctx context.Context, fn func(*pgx.Conn) error) (err error) {
	c, err := f.db.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Raw(func(dc any) error {
		conn, ok := dc.(*stdlib.Conn)
		if !ok {
			return errors.New("writing connection: unknown driver")
		}
		return fn(conn.Conn())
	})
}

func (f *postgresFlusher) close() {}
