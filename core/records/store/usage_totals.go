package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// UsageFilter selects usage records. A zero field matches all.
type UsageFilter struct {
	Tenant, KeyID, EndUser string
	Model                  string    // glob over the client's and the provider's name
	From, To               time.Time // From is inclusive, To exclusive
}

// UsageTotals are sums over usage records.
type UsageTotals struct {
	Records   int64 `db:"records"`
	Counted   int64 `db:"counted"`   // records that the provider counted
	Estimated int64 `db:"estimated"` // records that the gateway estimated
	Streamed  int64 `db:"streamed"`
	Input     int64 `db:"input"`
	Output    int64 `db:"output"`
	Cached    int64 `db:"cached"`
	Reasoning int64 `db:"reasoning"`
	Cost      int64 `db:"cost"` // units of 1e-10 USD; over records with a known cost
}

// SumUsage sums the usage records that match f.
func (u Usage) SumUsage(ctx context.Context, f UsageFilter) (UsageTotals, error) {
	var q strings.Builder
	q.WriteString(`SELECT count(*) AS records, count(input_tokens) - count(estimated) AS counted,
		count(estimated) AS estimated, coalesce(sum(streamed), 0) AS streamed,
		coalesce(sum(input_tokens), 0) AS input, coalesce(sum(output_tokens), 0) AS output,
		coalesce(sum(cached_tokens), 0) AS cached, coalesce(sum(reasoning_tokens), 0) AS reasoning,
		coalesce(sum(cost), 0) AS cost
		FROM usage_exchange WHERE 1 = 1`)
	var args []any
	and := func(clause string, v any) {
		q.WriteString(" AND " + clause)
		args = append(args, v)
	}
	if f.Tenant != "" {
		and("tenant_id = ?", f.Tenant)
	}
	if f.KeyID != "" {
		and("key_id = ?", f.KeyID)
	}
	if f.EndUser != "" {
		and("end_user = ?", f.EndUser)
	}
	if f.Model != "" {
		match, glob := u.db.buildGlobCondition(f.Model)
		q.WriteString(" AND (model " + match + " OR model_requested " + match + ")")
		args = append(args, glob, glob)
	}
	if !f.From.IsZero() {
		and("at >= ?", f.From.UnixMicro())
	}
	if !f.To.IsZero() {
		and("at < ?", f.To.UnixMicro())
	}
	var t UsageTotals
	if err := u.db.read.GetContext(ctx, &t, q.String(), args...); err != nil {
		return UsageTotals{}, fmt.Errorf("sum usage records: %w", err)
	}
	return t, nil
}

// buildGlobCondition returns the condition that a string matches a pattern with * and ?, and the pattern in the
// database's syntax.
func (db *DB) buildGlobCondition(pattern string) (condition, arg string) {
	if db.postgres {
		return `LIKE ? ESCAPE '\'`, likes.Replace(pattern)
	}
	return "GLOB ?", strings.ReplaceAll(pattern, "[", "[[]") // a literal in our patterns, special in SQLite's
}

var likes = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%", "?", "_")
