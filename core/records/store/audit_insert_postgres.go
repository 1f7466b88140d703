package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// auditPostgres stores segments in the transaction of a batch.
type auditPostgres struct {
	ctx context.Context
	tx  pgx.Tx
}

// readStoredHead creates the head of a new chain at once as number 0, so that there is a row to lock.
func (a *auditPostgres) readStoredHead(node string) (AuditHead, error) {
	var h AuditHead
	var hash, sig []byte
	err := a.tx.QueryRow(a.ctx, `INSERT INTO audit_head (node, seq, at, hash, sig) VALUES ($1, 0, 0, '', '')
		ON CONFLICT (node) DO UPDATE SET seq = audit_head.seq RETURNING seq, at, hash, sig`, node).Scan(&h.Seq, &h.At, &hash, &sig)
	if err != nil || h.Seq == 0 {
		return AuditHead{}, err
	}
	return h, h.set(hash, sig)
}

func (a *auditPostgres) saveSegment(s *AuditSegment) error {
	_, err := a.tx.Exec(a.ctx, `INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, s.Node, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash[:], s.Sig[:], s.Data)
	return err
}

func (a *auditPostgres) saveHead(node string, h AuditHead) error {
	_, err := a.tx.Exec(a.ctx, "UPDATE audit_head SET seq = $1, at = $2, hash = $3, sig = $4 WHERE node = $5",
		h.Seq, h.At, h.Hash[:], h.Sig[:], node)
	return err
}

func (a *auditPostgres) saveCheckpoint(node string, c *AuditCheckpoint) error {
	var marks []byte
	if c.Known {
		marks = c.packMarks()
	}
	_, err := a.tx.Exec(a.ctx, "INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES ($1, $2, $3, $4, $5)",
		node, c.Seq, c.First, c.At, marks)
	return err
}

func (a *auditPostgres) countCalls(node, month string, n int64) error {
	_, err := a.tx.Exec(a.ctx, `INSERT INTO governed_call (month, node, calls) VALUES ($1, $2, $3)
		ON CONFLICT (month, node) DO UPDATE SET calls = governed_call.calls + excluded.calls`, month, node, n)
	return err
}
