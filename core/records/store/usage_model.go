package store

import (
	"context"
	"fmt"
)

// modelCell is a cell of the sums, with the number of its series that match a pattern.
type modelCell struct {
	Tenant   string `db:"tenant_id"`
	Provider string `db:"provider"`
	Model    string `db:"model"`
	Series   int64  `db:"series"`
	Fitting  int64  `db:"fitting"`
}

// SumModels sums the records of f's tenant, key and interval whose model, by the client's or the provider's name,
// matches a glob. The sums do not contain the client's names, so it checks the series: if all series of a provider's
// model match, it uses the sums, and it reads single records only if some do not.
func (u Usage) SumModels(ctx context.Context, f CostFilter, glob string) (sum UsageSums, err error) {
	f.Provider, f.Model = "", ""
	err = u.db.read.readSnapshot(ctx, func(tx *Tx) error {
		var cells []modelCell
		match, pattern := u.db.buildGlobCondition(glob)
		where, args := "", []any{pattern, pattern}
		for _, c := range []struct{ column, value string }{{"tenant_id", f.Tenant}, {"key_id", f.Key}} {
			if c.value != "" {
				where += " AND " + c.column + " = ?"
				args = append(args, c.value)
			}
		}
		err := tx.SelectContext(ctx, &cells, `SELECT tenant_id, provider, model, count(*) AS series,
			count(CASE WHEN model `+match+` OR model_requested `+match+` THEN 1 END) AS fitting
			FROM usage_series WHERE 1 = 1`+where+" GROUP BY tenant_id, provider, model", args...)
		if err != nil {
			return err
		}
		fits := make(map[[3]string]modelCell, len(cells))
		for _, c := range cells {
			fits[[3]string{c.Tenant, c.Provider, c.Model}] = c
		}
		query, args := buildCostQuery(f, ByTenant|ByProvider|ByModel)
		var rows []CostSums
		if err := tx.SelectContext(ctx, &rows, query, args...); err != nil {
			return err
		}
		var mixed []*CostSums
		for i := range rows {
			r := &rows[i]
			switch c := fits[[3]string{r.Tenant, r.Provider, r.Model}]; {
			case c.Fitting == 0 || r.Requests == 0:
			case c.Fitting == c.Series:
				sum.Add(&r.UsageSums)
			default:
				mixed = append(mixed, r)
			}
		}
		for _, r := range mixed {
			one, err := tx.sumFitting(ctx, &f, r, match, pattern)
			if err != nil {
				return err
			}
			sum.Add(&one)
		}
		return nil
	})
	if err != nil {
		return UsageSums{}, fmt.Errorf("sum usage of models: %w", err)
	}
	return sum, nil
}

// sumFitting sums the single records of a cell whose client model name matches.
func (tx *Tx) sumFitting(ctx context.Context, f *CostFilter, cell *CostSums, match, pattern string) (sum UsageSums, err error) {
	s := &sumSource{f: CostFilter{Tenant: cell.Tenant, Key: f.Key, Provider: cell.Provider, Model: cell.Model}, keys: f.Key != ""}
	from, to := f.findSpan()
	s.addRecords(from, to)
	query := "SELECT " + listSummedColumns() + " FROM (" + s.parts[0] + " AND s.model_requested " + match + ") AS records"
	err = tx.GetContext(ctx, &sum, query, append(s.args, pattern)...)
	return sum, err
}

// findSpan returns the ends of the interval in microseconds. The interval is empty if they are in the wrong order.
func (f *CostFilter) findSpan() (from, to int64) {
	from, to = -1<<62, 1<<62
	if !f.From.IsZero() {
		from = f.From.UnixMicro()
	}
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	if from >= to {
		return 0, 0
	}
	return from, to
}
