package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// auditPostgres stores segments in the transaction of a batch. It locks the head, so that another writer of the same
// chain waits for the batch. Two that both begin a chain are told apart by the first segment's number.
type auditPostgres struct {
	ctx context.Context
	tx  pgx.Tx
}

func (a *auditPostgres) head() (AuditHead, error) {
	var h AuditHead
	var hash, sig []byte
	err := a.tx.QueryRow(a.ctx, "SELECT seq, at, hash, sig FROM audit_head WHERE one = 1 FOR UPDATE").Scan(&h.Seq, &h.At, &hash, &sig)
	if errors.Is(err, pgx.ErrNoRows) {
		return AuditHead{}, nil
	}
	if err != nil {
		return AuditHead{}, err
	}
	return h, h.set(hash, sig)
}

func (a *auditPostgres) save(s *AuditSegment) error {
	_, err := a.tx.Exec(a.ctx, `INSERT INTO audit_segment (first_seq, last_seq, first_at, last_at, hash, sig, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash[:], s.Sig[:], s.Data)
	return err
}

func (a *auditPostgres) saveHead(h AuditHead) error {
	_, err := a.tx.Exec(a.ctx, `INSERT INTO audit_head (one, seq, at, hash, sig) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, sig = excluded.sig`,
		h.Seq, h.At, h.Hash[:], h.Sig[:])
	return err
}
