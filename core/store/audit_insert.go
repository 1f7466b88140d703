package store

import (
	"database/sql/driver"
	"errors"
	"time"
)

const (
	auditInsertSQL = `INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	auditMarkSQL   = `INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES (?, ?, ?, ?, ?)`

	// auditHeadSQL reads the head of a node's chain and locks it until the transaction ends, so that two processes that
	// write to one chain take turns, and nobody else waits. A chain without records gets the head 0, which is none.
	auditHeadSQL = `INSERT INTO audit_head (node, seq, at, hash, sig) VALUES (?, 0, 0, ?, ?)
		ON CONFLICT (node) DO UPDATE SET seq = audit_head.seq RETURNING seq, at, hash, sig`
	auditSaveHeadSQL = `UPDATE audit_head SET seq = ?, at = ?, hash = ?, sig = ? WHERE node = ?`

	governedSQL = `INSERT INTO governed_call (month, node, calls) VALUES (?, ?, ?)
		ON CONFLICT (month, node) DO UPDATE SET calls = governed_call.calls + excluded.calls`
)

// governedType is the type of the record that each governed call has one of.
const governedType = "GATEWAY_REQUEST"

// segmentBytes is the size in bytes at which a segment ends although its batch goes on: what a reader holds at a time.
const segmentBytes = 256 << 10

// auditInsert stores the audit events of a batch in segments: one statement for some hundred records.
type auditInsert struct {
	insert, mark, saveHead, governed driver.StmtExecContext
	readHead                         driver.StmtQueryContext
	event                            AuditEvent // here, since what a Sealer is given would live on the heap
	data                             []byte
	seg                              AuditSegment
	calls                            int64 // governed calls of month that are not stored yet
	month                            string
	monthStarts, monthEnds           int64 // microseconds since 1970 UTC
}

func (a *auditInsert) run(q *queue, s Sealer) error {
	if len(q.audit) == 0 {
		return nil
	}
	if s == nil {
		return ErrNoSealer
	}
	head, err := a.head(s.Node())
	if err != nil {
		return err
	}
	if err := s.Resume(head); err != nil {
		return err
	}
	a.data, a.calls = a.data[:0], 0
	for i := range q.audit {
		e := &q.audit[i]
		a.event = AuditEvent{Tenant: q.text(e.tenant), Type: q.text(e.kind), Payload: q.text(e.payload), At: e.at}
		if a.event.Type == governedType {
			if err := a.count(s.Node(), e.at); err != nil {
				return err
			}
		}
		if err := a.seal(s, &a.event); err != nil {
			return err
		}
		if due := s.Due(); due != nil {
			due.At = a.event.At
			if err := a.seal(s, due); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(a.endSegment(s), a.storeCalls(s.Node())); err != nil {
		return err
	}
	if cap(a.data) > 2*segmentBytes {
		a.data = nil
	}
	return a.saveEnd(s.Node(), s.Head())
}

// seal adds the event to the segment, and ends the segment where that is due.
func (a *auditInsert) seal(s Sealer, e *AuditEvent) error {
	seq, tag := s.Seal(e)
	if len(a.data) == 0 {
		a.seg.First, a.seg.FirstAt = seq, e.At
	}
	a.data = appendRecord(a.data, a.seg.FirstAt, e, tag)
	a.seg.Last, a.seg.LastAt = seq, e.At
	c := s.Checkpoint()
	if c == nil && len(a.data) < segmentBytes {
		return nil
	}
	if err := a.endSegment(s); err != nil || c == nil {
		return err
	}
	var marks driver.Value
	if c.Known {
		marks = c.packed()
	}
	return run(a.mark, s.Node(), c.Seq, c.First, e.At, marks)
}

func (a *auditInsert) endSegment(s Sealer) error {
	if len(a.data) == 0 {
		return nil
	}
	s.SealSegment(&a.seg)
	g := &a.seg
	err := run(a.insert, s.Node(), g.First, g.Last, g.FirstAt, g.LastAt, g.Hash[:], g.Sig[:], a.data)
	a.data = a.data[:0]
	return err
}

// count adds a governed call to its month.
func (a *auditInsert) count(node string, at int64) error {
	if at >= a.monthEnds || at < a.monthStarts {
		if err := a.storeCalls(node); err != nil {
			return err
		}
		t := time.UnixMicro(at).UTC()
		a.month = t.Format(monthForm)
		a.monthStarts = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMicro()
		a.monthEnds = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	}
	a.calls++
	return nil
}

func (a *auditInsert) storeCalls(node string) error {
	if a.calls == 0 {
		return nil
	}
	n := a.calls
	a.calls = 0
	return run(a.governed, a.month, node, n)
}

// head reads the head inside the transaction: another process may have written since the last batch.
func (a *auditInsert) head(node string) (AuditHead, error) {
	var dest [4]driver.Value
	if err := row(a.readHead, ordered([]driver.Value{node, []byte{}, []byte{}}), dest[:]); err != nil {
		return AuditHead{}, err
	}
	var h AuditHead
	h.Seq, _ = dest[0].(int64)
	if h.Seq == 0 {
		return AuditHead{}, nil
	}
	h.At, _ = dest[1].(int64)
	hash, _ := dest[2].([]byte)
	sig, _ := dest[3].([]byte)
	h.Hash, h.Sig = digest(hash), digest(sig)
	if len(hash) != len(h.Hash) || len(sig) != len(h.Sig) {
		return AuditHead{}, errors.New("the stored head of the chain is damaged")
	}
	return h, nil
}

func (a *auditInsert) saveEnd(node string, h AuditHead) error {
	return run(a.saveHead, h.Seq, h.At, h.Hash[:], h.Sig[:], node)
}

// digest is b when it has the right length; any other becomes zeros, which no signature fits.
func digest(b []byte) (d [32]byte) {
	if len(b) == len(d) {
		copy(d[:], b)
	}
	return d
}
