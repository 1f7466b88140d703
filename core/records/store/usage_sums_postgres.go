package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// sumsPostgres adds the records of a batch to the stored sums, all of them sent at once.
type sumsPostgres struct{ sums batchSums }

func (s *sumsPostgres) run(ctx context.Context, tx pgx.Tx, q *queue) error {
	if len(q.usage) == 0 {
		return nil
	}
	defer s.sums.forget()
	s.sums.gather(q, cleanText)
	var b pgx.Batch
	err := s.sums.visitRows(func(statement string, args []any) error {
		b.Queue(statement, args...)
		return nil
	})
	if err != nil {
		return err
	}
	return tx.SendBatch(ctx, &b).Close()
}
