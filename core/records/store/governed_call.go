package store

import (
	"context"
	"fmt"
	"time"
)

// monthForm is the stored format of a month.
const monthForm = "2006-01"

// CountGoverned returns the number of governed calls of all nodes in t's month (UTC).
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
