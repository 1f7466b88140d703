package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// AuditRecord is one stored record. A record that somebody has meddled with may hold anything, so nothing about its
// hash and signature is taken for granted.
type AuditRecord struct {
	Seq, At               int64
	Tenant, Type, Payload string
	Hash, Sig             []byte
}

// EventID names the record: the first 16 bytes of its hash, written as a UUID. It is "damaged" for a record whose hash
// is too short to name it.
func (r *AuditRecord) EventID() string {
	if len(r.Hash) < 16 {
		return "damaged"
	}
	h := r.Hash
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// Time is when the event was recorded.
func (r *AuditRecord) Time() time.Time { return time.UnixMicro(r.At).UTC() }

// WalkAudit reads the whole chain as it stands at one moment: first the stored head (nil when there is none), then
// each record in order. It stops at the first error of head or each. The record is valid during the call only.
func (db *DB) WalkAudit(ctx context.Context, head func(*AuditHead) error, each func(*AuditRecord) error) (err error) {
	tx, err := db.read.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read audit chain: %w", err)
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }() // a read transaction has nothing to commit
	h, err := readHead(ctx, tx.QueryRowContext)
	if err != nil {
		return fmt.Errorf("read audit head: %w", err)
	}
	if err := head(h); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, "SELECT seq, at, tenant_id, event_type, payload, hash, sig FROM audit_event ORDER BY seq")
	if err != nil {
		return fmt.Errorf("read audit events: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return scanAudit(rows, each)
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
	// A length that is wrong leaves zeros, which no signature fits.
	copy(h.Hash[:], hash)
	copy(h.Sig[:], sig)
	return &h, nil
}

func scanAudit(rows *sql.Rows, each func(*AuditRecord) error) error {
	var tenant, kind, payload, hash, sig sql.RawBytes
	var r AuditRecord
	for rows.Next() {
		if err := rows.Scan(&r.Seq, &r.At, &tenant, &kind, &payload, &hash, &sig); err != nil {
			return fmt.Errorf("read audit event: %w", err)
		}
		r.Tenant, r.Type, r.Payload = string(tenant), string(kind), string(payload)
		r.Hash, r.Sig = hash, sig
		if err := each(&r); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read audit events: %w", err)
	}
	return nil
}
