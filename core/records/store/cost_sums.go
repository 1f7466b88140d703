package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// CostFilter selects cost records: the usage records of exchanges that used tokens. A zero field matches all.
type CostFilter struct {
	Tenant, Key, Provider, Model string    // as stored in the record; Key is an id
	From, To                     time.Time // From is inclusive, To exclusive
}

// CostGroup is the grouping of sums.
type CostGroup uint8

// The groupings, which can be combined with |.
const (
	ByTenant CostGroup = 1 << iota
	ByKey
	ByProvider
	ByModel
	ByDay // in UTC
)

// groupColumns are the columns of the groupings, in the order of their bits.
var groupColumns = []string{"tenant_id", "key_id", "provider", "model", "day"}

// CostSums are the sums of one group. Fields that are not grouped by are empty.
type CostSums struct {
	Tenant   string `db:"tenant_id"`
	Key      string `db:"key_id"`
	Provider string `db:"provider"`
	Model    string `db:"model"`
	Day      int64  `db:"day"` // days since 1970 in UTC
	UsageSums
}

// SumCosts sums the records that match f by group, ordered by group. It reads daily and hourly sums, and single records
// only of hours that From or To cuts (with ByKey or a key in the filter, of days). One statement reads everything, so a
// concurrently written batch counts completely or not at all.
func (u Usage) SumCosts(ctx context.Context, f CostFilter, by CostGroup) ([]CostSums, error) {
	var rows []CostSums
	query, args := buildCostQuery(f, by)
	if err := u.db.read.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("sum costs: %w", err)
	}
	return rows, nil
}

// SumCostParts sums the records that match f twice in one snapshot: by tenant, provider, model and day, and by key.
func (u Usage) SumCostParts(ctx context.Context, f CostFilter) (parts, keys []CostSums, err error) {
	err = u.db.read.readSnapshot(ctx, func(tx *Tx) error {
		query, args := buildCostQuery(f, ByTenant|ByProvider|ByModel|ByDay)
		if err := tx.SelectContext(ctx, &parts, query, args...); err != nil {
			return err
		}
		query, args = buildCostQuery(f, ByTenant|ByKey)
		return tx.SelectContext(ctx, &keys, query, args...)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("sum costs: %w", err)
	}
	return parts, keys, nil
}

// FindFirstDay returns the first day with sums, in days since 1970 in UTC, or false without sums.
func (u Usage) FindFirstDay(ctx context.Context) (day int64, ok bool, err error) {
	var first *int64
	if err := u.db.read.GetContext(ctx, &first, "SELECT min(day) FROM usage_day"); err != nil {
		return 0, false, fmt.Errorf("find the first day of usage: %w", err)
	}
	if first == nil {
		return 0, false, nil
	}
	return *first, true, nil
}

func buildCostQuery(f CostFilter, by CostGroup) (query string, args []any) {
	var names []string
	for i, c := range groupColumns {
		if by&(1<<i) != 0 {
			names = append(names, c)
		}
	}
	s := &sumSource{f: f, keys: by&ByKey != 0 || f.Key != ""}
	s.collect()
	var q strings.Builder
	q.WriteString("SELECT ")
	for _, n := range names {
		q.WriteString(n + ", ")
	}
	q.WriteString(listSummedColumns())
	q.WriteString(" FROM (" + strings.Join(s.parts, " UNION ALL ") + ") AS sums")
	if len(names) > 0 {
		list := strings.Join(names, ", ")
		q.WriteString(" GROUP BY " + list + " ORDER BY " + list)
	}
	return q.String(), s.args
}

// listSummedColumns returns the expressions that sum up all columns of sums.
func listSummedColumns() string {
	list := strings.Split(sumColumns, ", ")
	for i, c := range list {
		list[i] = "CAST(coalesce(sum(" + c + "), 0) AS BIGINT) AS " + c
	}
	return strings.Join(list, ", ")
}

// sumSource collects the parts of a sum.
type sumSource struct {
	f     CostFilter
	keys  bool // grouped or filtered by key
	parts []string
	args  []any
}

func (s *sumSource) collect() {
	from, to := s.f.findSpan()
	ceil := func(at, unit int64) int64 { return -divideDown(-at, unit) }
	dayFrom, dayTo := ceil(from, dayMicros), divideDown(to, dayMicros)
	if s.keys {
		if dayFrom >= dayTo {
			s.addRecords(from, to)
			return
		}
		s.addSums("usage_key_day", "day", dayFrom, dayTo)
		s.addRecords(from, dayFrom*dayMicros)
		s.addRecords(dayTo*dayMicros, to)
		return
	}
	hourFrom, hourTo := ceil(from, hourMicros), divideDown(to, hourMicros)
	switch {
	case hourFrom >= hourTo:
		s.addRecords(from, to)
		return
	case dayFrom >= dayTo:
		s.addSums("usage_hour", "hour", hourFrom, hourTo)
	default:
		s.addSums("usage_day", "day", dayFrom, dayTo)
		s.addSums("usage_hour", "hour", hourFrom, dayFrom*24)
		s.addSums("usage_hour", "hour", dayTo*24, hourTo)
	}
	s.addRecords(from, hourFrom*hourMicros)
	s.addRecords(hourTo*hourMicros, to)
}

// addSums adds rows of a table of sums.
func (s *sumSource) addSums(table, unit string, from, to int64) {
	if from >= to {
		return
	}
	day, key := unit, "''"
	if unit == "hour" {
		day = "hour / 24"
	}
	if s.keys {
		key = "key_id"
	}
	s.addPart(
		"SELECT tenant_id, "+key+" AS key_id, provider, model, "+day+" AS day, "+sumColumns+" FROM "+table+
			" WHERE "+unit+" >= ? AND "+unit+" < ?",
		from,
		to,
		"",
	)
}

// addRecords adds single records.
func (s *sumSource) addRecords(from, to int64) {
	if from >= to && len(s.parts) > 0 {
		return
	}
	s.addPart(`SELECT s.tenant_id, s.key_id, s.provider, s.model, r.at / 86400000000 AS day, 1 AS calls,
		CASE WHEN r.input_tokens IS NOT NULL AND r.cost IS NULL THEN 1 ELSE 0 END AS unpriced,
		CASE WHEN r.input_tokens IS NULL THEN 0 ELSE 1 END AS requests, coalesce(r.input_tokens, 0) AS input_tokens,
		coalesce(r.output_tokens, 0) AS output_tokens, coalesce(r.cached_tokens, 0) AS cached_tokens,
		coalesce(r.reasoning_tokens, 0) AS reasoning_tokens, coalesce(r.input_cost, 0) AS input_cost,
		coalesce(r.cost, 0) - coalesce(r.input_cost, 0) AS output_cost
		FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id WHERE r.at >= ? AND r.at < ?`, from, to, "s.")
}

func (s *sumSource) addPart(text string, from, to int64, table string) {
	s.args = append(s.args, from, to)
	for _, c := range []struct{ column, value string }{
		{"tenant_id", s.f.Tenant},
		{"key_id", s.f.Key},
		{"provider", s.f.Provider},
		{"model", s.f.Model},
	} {
		if c.value != "" {
			text += " AND " + table + c.column + " = ?"
			s.args = append(s.args, c.value)
		}
	}
	s.parts = append(s.parts, text)
}

// RebuildSums rebuilds the sums from the usage records and returns the number of records. Meanwhile records cannot be
// written and wait in the gateways' queues. Sums of days whose records retention removed stay as they are. On a
// replica, which holds only a node's recent records, it fails.
func (u Usage) RebuildSums(ctx context.Context) (records int64, err error) {
	err = u.db.transact(ctx, func(tx *Tx) error {
		if err := tx.refuseReplica(ctx); err != nil {
			return err
		}
		if tx.postgres {
			if _, err := tx.ExecContext(
				ctx,
				"LOCK TABLE usage_record, usage_hour, usage_day, usage_key_day, usage_pace, usage_link IN SHARE ROW EXCLUSIVE MODE",
			); err != nil {
				return err
			}
		}
		whole := "BIGINT"
		if tx.postgres {
			whole = "INTEGER" // how far bits are shifted
		}
		kept, err := tx.readFirstCompleteDay(ctx)
		if err != nil {
			return err
		}
		for _, t := range []struct {
			table, unit, key, value string
			from                    int64
		}{
			{"usage_hour", "hour", "hour, tenant_id, provider, model", "at / 3600000000, tenant_id, provider, model", kept * 24},
			{"usage_key_day", "day", "day, tenant_id, key_id, provider, model", "at / 86400000000, tenant_id, key_id, provider, model", kept},
		} {
			columns, values := t.key, t.value
			if t.table == "usage_key_day" {
				columns += ", hours"
				values += ", CAST(sum(DISTINCT 1 << CAST((at / 3600000000) % 24 AS " + whole + ")) AS BIGINT)"
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.table+" WHERE "+t.unit+" >= ?", t.from); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO "+t.table+" ("+columns+", "+sumColumns+") SELECT "+values+`, count(*),
				CAST(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END) AS BIGINT), count(input_tokens),
				CAST(coalesce(sum(input_tokens), 0) AS BIGINT), CAST(coalesce(sum(output_tokens), 0) AS BIGINT),
				CAST(coalesce(sum(cached_tokens), 0) AS BIGINT), CAST(coalesce(sum(reasoning_tokens), 0) AS BIGINT),
				CAST(coalesce(sum(input_cost), 0) AS BIGINT), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS BIGINT)
				FROM usage_exchange WHERE at >= ? GROUP BY `+t.value, max(kept, -1<<26)*dayMicros)
			if err != nil {
				return err
			}
		}
		if err := tx.rebuildDays(ctx, kept); err != nil {
			return err
		}
		if err := tx.rebuildPace(ctx, u.db.now(), max(kept, -1<<26)*dayMicros); err != nil {
			return err
		}
		return tx.GetContext(ctx, &records, "SELECT count(*) FROM usage_record")
	})
	if err != nil {
		return 0, fmt.Errorf("rebuild sums: %w", err)
	}
	return records, nil
}

// rebuildDays sums the hours of the days from a first one on.
func (tx *Tx) rebuildDays(ctx context.Context, first int64) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM usage_day WHERE day >= ?", first); err != nil {
		return err
	}
	sums := "CAST(sum(" + strings.ReplaceAll(sumColumns, ", ", ") AS BIGINT), CAST(sum(") + ") AS BIGINT)"
	_, err := tx.ExecContext(ctx, "INSERT INTO usage_day (day, tenant_id, provider, model, "+sumColumns+`)
		SELECT hour / 24, tenant_id, provider, model, `+sums+" FROM usage_hour WHERE hour >= ? GROUP BY hour / 24, tenant_id, provider, model", first*24)
	return err
}
