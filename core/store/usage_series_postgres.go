package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// seriesNumbered numbers series on PostgreSQL. They are stored before the batch and apart from it: within it, two nodes
// that meet the same new series in another order would wait for each other.
type seriesNumbered struct{ known map[string]int64 }

const (
	seriesAddSQL = `INSERT INTO usage_series (tenant_id, key_id, dialect, model_requested, provider, model, outcome,
		pricing_id, status, streamed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`
	seriesLookSQL = `SELECT id FROM usage_series WHERE tenant_id = $1 AND key_id = $2 AND dialect = $3
		AND model_requested = $4 AND provider = $5 AND model = $6 AND outcome = $7 AND pricing_id = $8 AND status = $9 AND streamed = $10`
)

// learn finds the numbers of all series of the batch.
func (s *seriesNumbered) learn(ctx context.Context, conn *pgx.Conn, q *queue) error {
	if len(s.known) >= seriesKept {
		s.known = nil
	}
	if s.known == nil {
		s.known = map[string]int64{}
	}
	for i := range q.usage {
		key := q.bytes(q.usage[i].series)
		if _, ok := s.known[string(key)]; ok {
			continue
		}
		id, err := numberSeries(ctx, conn, key)
		if err != nil {
			return err
		}
		s.known[string(key)] = id
	}
	return nil
}

func numberSeries(ctx context.Context, conn *pgx.Conn, key []byte) (id int64, err error) {
	args := make([]any, 0, seriesTexts+2)
	for _, v := range seriesValues(key) {
		if text, ok := v.(string); ok {
			v = storable(text)
		}
		args = append(args, v)
	}
	for _, query := range []string{seriesLookSQL, seriesAddSQL, seriesLookSQL} { // another node may add it in between
		if err = conn.QueryRow(ctx, query, args...).Scan(&id); !errors.Is(err, pgx.ErrNoRows) {
			return id, err
		}
	}
	return 0, err
}

// of is the number of a series that was learned.
func (s *seriesNumbered) of(key []byte) int64 { return s.known[string(key)] }
