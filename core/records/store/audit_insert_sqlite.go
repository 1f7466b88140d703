package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
)

const (
	auditInsertSQL = `INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	auditMarkSQL   = `INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES (?, ?, ?, ?, ?)`
	auditHeadSQL   = `SELECT seq, at, hash, sig FROM audit_head WHERE node = ?`

	auditSaveHeadSQL = `INSERT INTO audit_head (node, seq, at, hash, sig) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (node) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, sig = excluded.sig`

	countCallsSQL = `INSERT INTO governed_call (month, node, calls) VALUES (?, ?, ?)
		ON CONFLICT (month, node) DO UPDATE SET calls = calls + excluded.calls`
)

// auditSQLite stores segments through prepared statements.
type auditSQLite struct {
	insert, putHead, mark, calls driver.StmtExecContext
	readHead                     driver.StmtQueryContext
}

func (a *auditSQLite) saveSegment(s *AuditSegment) error {
	return execStatement(a.insert, s.Node, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash[:], s.Sig[:], s.Data)
}

func (a *auditSQLite) readStoredHead(node string) (AuditHead, error) {
	var dest [4]driver.Value
	err := queryRow(a.readHead, nameValues([]driver.Value{node}), dest[:])
	if errors.Is(err, sql.ErrNoRows) {
		return AuditHead{}, nil
	}
	if err != nil {
		return AuditHead{}, err
	}
	var h AuditHead
	h.Seq, _ = dest[0].(int64)
	h.At, _ = dest[1].(int64)
	hash, _ := dest[2].([]byte)
	sig, _ := dest[3].([]byte)
	return h, h.set(hash, sig)
}

func (a *auditSQLite) saveHead(node string, h AuditHead) error {
	return execStatement(a.putHead, node, h.Seq, h.At, h.Hash[:], h.Sig[:])
}

func (a *auditSQLite) saveCheckpoint(node string, c *AuditCheckpoint) error {
	var marks driver.Value
	if c.Known {
		marks = c.packMarks()
	}
	return execStatement(a.mark, node, c.Seq, c.First, c.At, marks)
}

func (a *auditSQLite) countCalls(node, month string, n int64) error {
	return execStatement(a.calls, month, node, n)
}
