package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// usageKeptFrom is the setting with the first day, in UTC days since 1970, whose usage records are complete. The sums
// of earlier days are the only record left.
const usageKeptFrom = "usage.kept_from"

// trimMost is how many records one transaction removes, because traffic waits for it.
const trimMost = 5000

// Trim removes some of the usage records of days (UTC) that ended before an instant, and reports whether there are
// more. Their sums stay and are never rebuilt.
func (u Usage) Trim(ctx context.Context, before time.Time) (more bool, err error) {
	day := divideDown(before.UnixMicro(), dayMicros)
	err = u.db.transact(ctx, func(tx *Tx) error {
		if err := tx.refuseReplica(ctx); err != nil {
			return err
		}
		kept, err := tx.readFirstCompleteDay(ctx)
		if err != nil {
			return err
		}
		if day > kept {
			_, err := tx.ExecContext(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
				usageKeptFrom, []byte(strconv.FormatInt(day, 10)))
			if err != nil {
				return err
			}
		}
		res, err := tx.ExecContext(
			ctx,
			"DELETE FROM usage_record WHERE id IN (SELECT id FROM usage_record WHERE at < ? ORDER BY at LIMIT ?)",
			day*dayMicros,
			trimMost,
		)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		more = n == trimMost
		return err
	})
	if err != nil {
		return false, fmt.Errorf("remove usage records: %w", err)
	}
	return more, nil
}

// readFirstCompleteDay returns the first day whose records are complete.
func (tx *Tx) readFirstCompleteDay(ctx context.Context) (int64, error) {
	var text []byte
	err := tx.GetContext(ctx, &text, "SELECT value FROM setting WHERE name = ?", usageKeptFrom)
	if errors.Is(err, sql.ErrNoRows) {
		return -1 << 40, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}
