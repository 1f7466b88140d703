package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"
)

// AuditFilter chooses audit records. A zero field chooses all.
type AuditFilter struct {
	Tenant, Type string
	From, To     time.Time // From is included, To is not
	Before       int64     // only records with a smaller sequence number: the last one of the page before
	Limit        int       // at most so many records
}

func (f *AuditFilter) chooses(r *AuditRecord) bool {
	return (f.Tenant == "" || r.Tenant == f.Tenant) && (f.Type == "" || r.Type == f.Type) &&
		(f.From.IsZero() || r.At >= f.From.UnixMicro()) && (f.To.IsZero() || r.At < f.To.UnixMicro()) &&
		(f.Before <= 0 || r.Seq < f.Before)
}

// errEnough ends a walk that has found all it wants.
var errEnough = errors.New("enough")

// AuditEvents calls each with the records that f chooses, newest first. The record is valid during the call only, its
// texts for ever. It reads segment by segment and holds one of them at a time.
func (db *DB) AuditEvents(ctx context.Context, f AuditFilter, each func(*AuditRecord) error) (err error) {
	first, last := int64(math.MinInt64), int64(math.MaxInt64) // of the segments' first records
	if !f.From.IsZero() {
		if first, err = db.auditSegmentAt(ctx, f.From.UnixMicro()); err != nil {
			return err
		}
	}
	if !f.To.IsZero() { // the segment with the first record that is too late may have earlier ones
		if last, err = db.auditSegmentAt(ctx, f.To.UnixMicro()); err != nil {
			return err
		}
	}
	if f.Before > 0 {
		last = min(last, f.Before-1)
	}
	rows, err := db.read.QueryContext(ctx, auditSegmentSQL+" WHERE first_seq BETWEEN ? AND ? ORDER BY first_seq DESC", first, last)
	if err != nil {
		return fmt.Errorf("list audit events: %w", err)
	}
	var found []int // where in the segment the chosen records begin, and their sequence numbers less the first one's
	left := f.Limit
	err = scanSegments(rows, func(s *AuditSegment) error {
		found = found[:0]
		for at, nth := 0, 0; at < len(s.Data); nth++ {
			r, n := s.record(s.Data[at:], s.First+int64(nth))
			if n == 0 {
				return fmt.Errorf("list audit events: %w: record %d cannot be read", ErrDamaged, s.First+int64(nth))
			}
			if f.chooses(&r) {
				found = append(found, at, nth)
			}
			at += n
		}
		for i := len(found) - 2; i >= 0; i -= 2 {
			seen, _ := s.record(s.Data[found[i]:], s.First+int64(found[i+1]))
			r := seen.Clone()
			if err := each(&r); err != nil {
				return err
			}
			if left--; left == 0 {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// auditSegmentAt is the first sequence number of the segment that holds the first record at or after the instant; for
// none, a number that is larger than those of all segments. Times rise with sequence numbers, so it is found by
// bisection, which spares the table an index on the time.
func (db *DB) auditSegmentAt(ctx context.Context, at int64) (int64, error) {
	var low, high sql.NullInt64
	err := db.read.QueryRowContext(ctx, "SELECT min(first_seq), max(first_seq) FROM audit_segment").Scan(&low, &high)
	if err != nil {
		return 0, fmt.Errorf("find audit events by time: %w", err)
	}
	if !low.Valid {
		return 0, nil
	}
	lo, hi := low.Int64, high.Int64+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		var seq, last int64
		err := db.read.QueryRowContext(ctx,
			"SELECT first_seq, last_at FROM audit_segment WHERE first_seq >= ? ORDER BY first_seq LIMIT 1", mid).Scan(&seq, &last)
		if err != nil {
			return 0, fmt.Errorf("find audit events by time: %w", err)
		}
		if last < at {
			lo = seq + 1
		} else {
			hi = mid
		}
	}
	// lo may lie in the gap before the segment it means.
	var seq sql.NullInt64
	err = db.read.QueryRowContext(ctx, "SELECT min(first_seq) FROM audit_segment WHERE first_seq >= ?", lo).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("find audit events by time: %w", err)
	}
	if !seq.Valid {
		return lo, nil
	}
	return seq.Int64, nil
}

// AuditCounts is how many records each event type has, for one tenant or, with an empty id, for all. It reads all
// records.
func (db *DB) AuditCounts(ctx context.Context, tenantID string) (map[string]int64, error) {
	rows, err := db.read.QueryContext(ctx, auditSegmentSQL)
	if err != nil {
		return nil, fmt.Errorf("count audit events: %w", err)
	}
	counts := map[string]*int64{}
	err = scanSegments(rows, func(s *AuditSegment) error {
		return s.Records(func(r *AuditRecord) error {
			if tenantID != "" && r.Tenant != tenantID {
				return nil
			}
			n := counts[r.Type]
			if n == nil {
				n = new(int64)
				counts[string([]byte(r.Type))] = n
			}
			*n++
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count audit events: %w", err)
	}
	sums := make(map[string]int64, len(counts))
	for kind, n := range counts {
		sums[kind] = *n
	}
	return sums, nil
}
