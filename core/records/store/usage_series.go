package store

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
)

// A series is what repeats between exchanges: eight strings, the status, and whether the answer was streamed. The arena
// holds them in sequence, each string after its length, so the bytes serve as the lookup key of the series number.
const seriesTexts = 8

// seriesNumbers is the maximum number of arena bytes of a series' numbers.
const seriesNumbers = seriesTexts*binary.MaxVarintLen32 + 5

func putSeries(q *queue, r *UsageRecord) span {
	start := uint32(len(q.arena))
	b := q.arena
	for _, s := range [seriesTexts]string{r.Tenant, r.KeyID, r.Dialect, r.ModelRequested, r.Provider, r.Model, r.Outcome, r.PriceID} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(r.Status))
	streamed := byte(0)
	if r.Streamed {
		streamed = 1
	}
	q.arena = append(b, streamed)
	at := span{start, uint32(len(q.arena))}
	if n := len(q.usage); n > 0 { // consecutive records often share a series; store it once
		if last := q.usage[n-1].series; bytes.Equal(q.readBytes(last), q.readBytes(at)) {
			q.arena = q.arena[:start]
			return last
		}
	}
	return at
}

const (
	seriesInsertSQL = `INSERT INTO usage_series (tenant_id, key_id, dialect, model_requested, provider, model, outcome,
		pricing_id, status, streamed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	seriesFindSQL = `SELECT id FROM usage_series WHERE tenant_id = ? AND key_id = ? AND dialect = ? AND model_requested = ?
		AND provider = ? AND model = ? AND outcome = ? AND pricing_id = ? AND status = ? AND streamed = ?`
)

// seriesKept is the maximum number of cached series. Beyond it the cache is cleared.
const seriesKept = 4096

// seriesIDs caches the numbers of series, boxed as the driver needs them.
type seriesIDs struct {
	insert driver.StmtExecContext
	find   driver.StmtQueryContext
	known  map[string]driver.Value
}

func (s *seriesIDs) forget() { clear(s.known) }

// resolveID returns the number of the series and stores it if necessary. Another process may have stored it meanwhile.
func (s *seriesIDs) resolveID(key []byte) (driver.Value, error) {
	if id, ok := s.known[string(key)]; ok {
		return id, nil
	}
	args := nameValues(listSeriesValues(key))
	var dest [1]driver.Value
	err := queryRow(s.find, args, dest[:])
	if errors.Is(err, sql.ErrNoRows) {
		var res driver.Result
		if res, err = s.insert.ExecContext(direct, args); err == nil {
			dest[0], err = res.LastInsertId()
		}
	}
	if err != nil {
		return nil, err
	}
	if s.known == nil || len(s.known) >= seriesKept {
		s.known = map[string]driver.Value{}
	}
	s.known[string(key)] = dest[0]
	return dest[0], nil
}

// listSeriesValues reverses putSeries.
func listSeriesValues(key []byte) []driver.Value {
	values := make([]driver.Value, 0, seriesTexts+2)
	for range seriesTexts {
		n, size := binary.Uvarint(key)
		values = append(values, string(key[size:size+int(n)]))
		key = key[size+int(n):]
	}
	return append(values, int64(int32(binary.BigEndian.Uint32(key))), int64(key[4]))
}
