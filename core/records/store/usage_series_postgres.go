package store

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
)

// seriesNumbered numbers series on PostgreSQL. They are stored before the batch in a separate transaction: within it,
// two nodes that find the same new series in different order could deadlock.
type seriesNumbered struct{ known map[string]int64 }

const (
	seriesAddSQL = `INSERT INTO usage_series (tenant_id, key_id, dialect, model_requested, provider, model, outcome,
		pricing_id, status, streamed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`
	seriesLookSQL = `SELECT id FROM usage_series WHERE tenant_id = $1 AND key_id = $2 AND dialect = $3
		AND model_requested = $4 AND provider = $5 AND model = $6 AND outcome = $7 AND pricing_id = $8 AND status = $9 AND streamed = $10`
)

// loadNumbers loads the numbers of all series of the batch.
func (s *seriesNumbered) loadNumbers(ctx context.Context, conn *pgx.Conn, q *queue) error {
	if len(s.known) >= seriesKept {
		s.known = nil
	}
	if s.known == nil {
		s.known = map[string]int64{}
	}
	var unknown []string
	for i := range q.usage {
		key := q.readBytes(q.usage[i].series)
		if _, ok := s.known[string(key)]; !ok {
			s.known[string(key)] = 0
			unknown = append(unknown, string(key))
		}
	}
	slices.Sort(
		unknown,
	) // the same order on all nodes, because statements sent together form one transaction
	for _, query := range []string{seriesLookSQL, seriesAddSQL, seriesLookSQL} { // another node may insert one in between
		var err error
		if unknown, err = s.numberSeries(ctx, conn, query, unknown); err != nil || len(unknown) == 0 {
			s.forget(unknown)
			return err
		}
	}
	s.forget(unknown)
	return errors.New("a series was deleted just after it was added")
}

// numberSeries runs a query for each series, all sent at once, and returns the series without a number.
func (s *seriesNumbered) numberSeries(ctx context.Context, conn *pgx.Conn, query string, keys []string) (left []string, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var b pgx.Batch
	for _, key := range keys {
		b.Queue(query, listSeriesArgs(key)...)
	}
	answers := conn.SendBatch(ctx, &b)
	defer func() { err = errors.Join(err, answers.Close()) }()
	for _, key := range keys {
		var id int64
		switch err := answers.QueryRow().Scan(&id); {
		case errors.Is(err, pgx.ErrNoRows):
			left = append(left, key)
		case err != nil:
			return keys, err
		default:
			s.known[key] = id
		}
	}
	return left, nil
}

// forget removes unnumbered series from the cache.
func (s *seriesNumbered) forget(keys []string) {
	for _, key := range keys {
		delete(s.known, key)
	}
}

func listSeriesArgs(key string) []any {
	args := make([]any, 0, seriesTexts+2)
	for _, v := range listSeriesValues([]byte(key)) {
		if text, ok := v.(string); ok {
			v = cleanText(text)
		}
		args = append(args, v)
	}
	return args
}

// lookupID returns the number of a series that learn has loaded.
func (s *seriesNumbered) lookupID(key []byte) int64 { return s.known[string(key)] }
