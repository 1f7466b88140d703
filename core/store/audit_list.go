package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// AuditFilter chooses audit records. A zero field chooses all.
type AuditFilter struct {
	Tenant, Type string
	From, To     time.Time // From is included, To is not
	Before       int64     // only records with a smaller sequence number: the last one of the page before
	Limit        int       // at most so many records
}

// AuditEvents calls each with the records that f chooses, newest first. The record is valid during the call only.
func (db *DB) AuditEvents(ctx context.Context, f AuditFilter, each func(*AuditRecord) error) (err error) {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if !f.From.IsZero() {
		if first, err = db.auditSeqAt(ctx, f.From.UnixMicro()); err != nil {
			return err
		}
	}
	if !f.To.IsZero() {
		if last, err = db.auditSeqAt(ctx, f.To.UnixMicro()); err != nil {
			return err
		}
		last--
	}
	if f.Before > 0 {
		last = min(last, f.Before-1)
	}
	var q strings.Builder
	q.WriteString("SELECT seq, at, tenant_id, event_type, payload, hash, sig FROM audit_event WHERE seq BETWEEN ? AND ?")
	args := []any{first, last}
	if f.Tenant != "" {
		q.WriteString(" AND tenant_id = ?")
		args = append(args, f.Tenant)
	}
	if f.Type != "" {
		q.WriteString(" AND event_type = ?")
		args = append(args, f.Type)
	}
	q.WriteString(" ORDER BY seq DESC")
	if f.Limit > 0 {
		q.WriteString(" LIMIT ?")
		args = append(args, f.Limit)
	}
	rows, err := db.read.QueryContext(ctx, q.String(), args...)
	if err != nil {
		return fmt.Errorf("list audit events: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return scanAudit(rows, each)
}

// auditSeqAt is the sequence number of the first record at or after the instant. Times rise with sequence numbers, so
// it is found by bisection, which spares the table an index on the time.
func (db *DB) auditSeqAt(ctx context.Context, at int64) (int64, error) {
	var low, high sql.NullInt64
	if err := db.read.QueryRowContext(ctx, "SELECT min(seq), max(seq) FROM audit_event").Scan(&low, &high); err != nil {
		return 0, fmt.Errorf("find audit events by time: %w", err)
	}
	if !low.Valid {
		return 0, nil
	}
	lo, hi := low.Int64, high.Int64+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		var seq, t int64
		err := db.read.QueryRowContext(ctx,
			"SELECT seq, at FROM audit_event WHERE seq >= ? ORDER BY seq LIMIT 1", mid).Scan(&seq, &t)
		if err != nil {
			return 0, fmt.Errorf("find audit events by time: %w", err)
		}
		if t < at {
			lo = seq + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// AuditCounts is how many records each event type has, for one tenant or, with an empty id, for all.
func (db *DB) AuditCounts(ctx context.Context, tenantID string) (map[string]int64, error) {
	rows, err := db.read.QueryContext(ctx,
		"SELECT event_type, count(*) FROM audit_event WHERE ?1 = '' OR tenant_id = ?1 GROUP BY event_type", tenantID)
	if err != nil {
		return nil, fmt.Errorf("count audit events: %w", err)
	}
	defer func() { _ = rows.Close() }()
	counts := map[string]int64{}
	for rows.Next() {
		var kind string
		var n int64
		if err := rows.Scan(&kind, &n); err != nil {
			return nil, fmt.Errorf("count audit events: %w", err)
		}
		counts[kind] = n
	}
	return counts, rows.Err()
}
