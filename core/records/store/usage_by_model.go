package store

import (
	"context"
	"fmt"
	"time"
)

// ModelUsage is a tenant's usage of one model.
type ModelUsage struct {
	Tenant    string `db:"tenant_id"`
	Provider  string `db:"provider"`
	Model     string `db:"model"`
	Records   int64  `db:"records"`
	Estimated int64  `db:"estimated"`
	Input     int64  `db:"input"`
	Output    int64  `db:"output"`
}

// SumByModel sums the usage records from from (inclusive) to to (exclusive) by tenant, provider and model. An empty
// tenant selects all tenants.
func (u Usage) SumByModel(ctx context.Context, tenant string, from, to time.Time) ([]ModelUsage, error) {
	query, args := `SELECT s.tenant_id, s.provider, s.model, CAST(sum(u.records) AS BIGINT) AS records,
		CAST(sum(u.estimated) AS BIGINT) AS estimated, CAST(sum(u.input) AS BIGINT) AS input, CAST(sum(u.output) AS BIGINT) AS output
		FROM (SELECT series_id, count(*) AS records, count(estimated) AS estimated, coalesce(sum(input_tokens), 0) AS input,
			coalesce(sum(output_tokens), 0) AS output FROM usage_record WHERE at >= ? AND at < ? GROUP BY series_id) AS u
		JOIN usage_series AS s ON s.id = u.series_id`, []any{from.UnixMicro(), to.UnixMicro()}
	if tenant != "" {
		query, args = query+" WHERE s.tenant_id = ?", append(args, tenant)
	}
	var rows []ModelUsage
	err := u.db.read.SelectContext(
		ctx,
		&rows,
		query+" GROUP BY s.tenant_id, s.provider, s.model ORDER BY s.tenant_id, s.provider, s.model",
		args...)
	if err != nil {
		return nil, fmt.Errorf("sum usage by model: %w", err)
	}
	return rows, nil
}
