package store

import (
	"context"
	"fmt"
	"time"
)

// monthForm is how a month is written in the database.
const monthForm = "2006-01"

// CountGoverned is how many governed calls all nodes had in the month (UTC) of t.
func (u Usage) CountGoverned(ctx context.Context, t time.Time) (int64, error) {
	var n int64
	err := u.db.read.GetContext(
		ctx,
		&n,
		"SELECT CAST(coalesce(sum(calls), 0) AS BIGINT) FROM governed_call WHERE month = ?",
		t.UTC().Format(monthForm),
	)
	if err != nil {
		return 0, fmt.Errorf("count governed calls: %w", err)
	}
	return n, nil
}
