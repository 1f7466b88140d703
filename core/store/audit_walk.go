package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const auditSegmentSQL = `SELECT first_seq, last_seq, first_at, last_at, hash, sig, data FROM audit_segment`

// WalkAudit reads the whole chain as it stands at one moment: first the stored head (nil when there is none), then
// each segment in order. It stops at the first error of head or each. The segment is valid during the call only.
func (db *DB) WalkAudit(ctx context.Context, head func(*AuditHead) error, each func(*AuditSegment) error) error {
	return db.read.snapshot(ctx, func(tx *Tx) error {
		h, err := readHead(ctx, tx.QueryRowContext)
		if err != nil {
			return fmt.Errorf("read audit head: %w", err)
		}
		if err := head(h); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, auditSegmentSQL+" ORDER BY first_seq")
		if err != nil {
			return fmt.Errorf("read audit segments: %w", err)
		}
		return scanSegments(rows, each)
	})
}

// AuditHead is the stored head of the chain, nil when there is none. Its signature is not checked.
func (db *DB) AuditHead(ctx context.Context) (*AuditHead, error) {
	h, err := readHead(ctx, db.read.QueryRowContext)
	if err != nil {
		return nil, fmt.Errorf("read audit head: %w", err)
	}
	return h, nil
}

func readHead(ctx context.Context, query func(context.Context, string, ...any) *sql.Row) (*AuditHead, error) {
	var h AuditHead
	var hash, sig []byte
	err := query(ctx, auditHeadSQL).Scan(&h.Seq, &h.At, &hash, &sig)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no head is no error: the chain has no records yet
	}
	if err != nil {
		return nil, err
	}
	h.Hash, h.Sig = digest(hash), digest(sig)
	return &h, nil
}

// scanSegments calls each with the segments of rows, and closes rows.
func scanSegments(rows *sql.Rows, each func(*AuditSegment) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	var hash, sig, data sql.RawBytes
	var s AuditSegment
	for rows.Next() {
		if err := rows.Scan(&s.First, &s.Last, &s.FirstAt, &s.LastAt, &hash, &sig, &data); err != nil {
			return fmt.Errorf("read audit segment: %w", err)
		}
		s.Hash, s.Sig, s.Data = digest(hash), digest(sig), data
		if err := each(&s); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read audit segments: %w", err)
	}
	return nil
}
