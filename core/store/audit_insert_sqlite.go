package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
)

const (
	auditInsertSQL = `INSERT INTO audit_segment (first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES (?, ?, ?, ?, ?, ?, ?)`
	auditHeadSQL   = `SELECT seq, at, hash, sig FROM audit_head WHERE one = 1`

	auditSaveHeadSQL = `INSERT INTO audit_head (one, seq, at, hash, sig) VALUES (1, ?, ?, ?, ?)
		ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, sig = excluded.sig`
)

// auditSQLite stores segments through prepared statements.
type auditSQLite struct {
	insert, putHead driver.StmtExecContext
	readHead        driver.StmtQueryContext
}

func (a *auditSQLite) save(s *AuditSegment) error {
	return run(a.insert, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash[:], s.Sig[:], s.Data)
}

func (a *auditSQLite) head() (AuditHead, error) {
	var dest [4]driver.Value
	err := row(a.readHead, nil, dest[:])
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

func (a *auditSQLite) saveHead(h AuditHead) error {
	return run(a.putHead, h.Seq, h.At, h.Hash[:], h.Sig[:])
}
