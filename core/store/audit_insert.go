package store

import "errors"

// segmentBytes is the size in bytes at which a segment ends although its batch goes on: what a reader holds at a time.
const segmentBytes = 256 << 10

// auditInsert stores the audit events of a batch in segments: one statement for some hundred records.
type auditInsert struct{ data []byte }

// auditTable is where the chain is kept, within the transaction of a batch.
type auditTable interface {
	// head is the head that the database holds, the zero one when there is none: another process may have written since
	// the last batch.
	head() (AuditHead, error)
	save(s *AuditSegment) error
	saveHead(h AuditHead) error
}

func (a *auditInsert) run(q *queue, s Sealer, table auditTable) error {
	if len(q.audit) == 0 {
		return nil
	}
	if s == nil {
		return ErrNoSealer
	}
	head, err := table.head()
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
			if err := table.save(&seg); err != nil {
				return err
			}
			data = data[:0]
		}
	}
	if a.data = data; cap(data) > 2*segmentBytes {
		a.data = nil
	}
	return table.saveHead(s.Head())
}

// digest is b when it has the right length; any other becomes zeros, which no signature fits.
func digest(b []byte) (d [32]byte) {
	if len(b) == len(d) {
		copy(d[:], b)
	}
	return d
}

// set sets what is stored as bytes.
func (h *AuditHead) set(hash, sig []byte) error {
	h.Hash, h.Sig = digest(hash), digest(sig)
	if len(hash) != len(h.Hash) || len(sig) != len(h.Sig) {
		return errors.New("the stored head of the chain is damaged")
	}
	return nil
}
