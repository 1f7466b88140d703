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

// segmentBytes is the size in bytes at which a segment ends although its batch goes on: what a reader holds at a time.
const segmentBytes = 256 << 10

// auditInsert stores the audit events of a batch in segments: one statement for some hundred records.
type auditInsert struct {
	insert, saveHead driver.StmtExecContext
	readHead         driver.StmtQueryContext
	data             []byte
}

func (a *auditInsert) run(q *queue, s Sealer) error {
	if len(q.audit) == 0 {
		return nil
	}
	if s == nil {
		return ErrNoSealer
	}
	head, err := a.head()
	if err != nil {
		return err
	}
	if err := s.Resume(head); err != nil {
		return err
	}
	var seg AuditSegment
	data := a.data[:0]
	for i := range q.audit {
		e := &q.audit[i]
		event := AuditEvent{Tenant: q.text(e.tenant), Type: q.text(e.kind), Payload: q.text(e.payload), At: e.at}
		seq, at, tag := s.Seal(event)
		if len(data) == 0 {
			seg.First, seg.FirstAt = seq, at
		}
		event.At = at
		data = appendRecord(data, seg.FirstAt, &event, tag)
		seg.Last, seg.LastAt = seq, at
		if len(data) >= segmentBytes || i == len(q.audit)-1 {
			s.SealSegment(&seg)
			seg.Data = data
			if err := a.save(&seg); err != nil {
				return err
			}
			data = data[:0]
		}
	}
	if a.data = data; cap(data) > 2*segmentBytes {
		a.data = nil
	}
	return a.saveEnd(s.Head())
}

func (a *auditInsert) save(s *AuditSegment) error {
	return run(a.insert, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash[:], s.Sig[:], s.Data)
}

// head reads the head inside the transaction: another process may have written since the last batch.
func (a *auditInsert) head() (AuditHead, error) {
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
	h.Hash, h.Sig = digest(hash), digest(sig)
	if len(hash) != len(h.Hash) || len(sig) != len(h.Sig) {
		return AuditHead{}, errors.New("the stored head of the chain is damaged")
	}
	return h, nil
}

func (a *auditInsert) saveEnd(h AuditHead) error {
	return run(a.saveHead, h.Seq, h.At, h.Hash[:], h.Sig[:])
}

// digest is b when it has the right length; any other becomes zeros, which no signature fits.
func digest(b []byte) (d [32]byte) {
	if len(b) == len(d) {
		copy(d[:], b)
	}
	return d
}
