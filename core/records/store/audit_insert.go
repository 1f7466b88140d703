package store

import (
	"errors"
	"time"

	"github.com/klauspost/compress/zstd"
)

// governedType is the record type that every governed call has exactly one of.
const governedType = "GATEWAY_REQUEST"

// segmentBytes is the size in bytes at which a segment ends before its batch does. It bounds what a reader holds at a
// time.
const segmentBytes = 256 << 10

// auditInsert stores the audit events of a batch in segments, with one statement per few hundred records.
type auditInsert struct {
	event                  AuditEvent // a field, because an argument to a Sealer would escape to the heap
	data                   []byte
	encoder                *zstd.Encoder // nil stores segments plain
	compressFrom           int64         // microseconds since 1970 UTC
	frame                  []byte
	seg                    AuditSegment
	calls                  int64 // governed calls of the month that are not stored yet
	month                  string
	monthStarts, monthEnds int64 // microseconds since 1970 UTC
}

// auditTable stores chains within the transaction of a batch.
type auditTable interface {
	// readStoredHead returns the stored head of the node's chain, or the zero head. Another process may have written since the
	// last batch. The head is locked until the transaction ends, so that two writers of one chain take turns without
	// delaying others.
	readStoredHead(node string) (AuditHead, error)
	saveSegment(s *AuditSegment) error
	saveHead(node string, h AuditHead) error
	saveCheckpoint(node string, c *AuditCheckpoint) error
	// countCalls adds to the governed calls of a month.
	countCalls(node, month string, n int64) error
}

func (a *auditInsert) run(q *queue, s Sealer, table auditTable) error {
	if len(q.audit) == 0 {
		return nil
	}
	if s == nil {
		return ErrNoSealer
	}
	head, err := table.readStoredHead(s.Node())
	if err != nil {
		return err
	}
	if err := s.Resume(head); err != nil {
		return err
	}
	a.data, a.calls = a.data[:0], 0
	for i := range q.audit {
		e := &q.audit[i]
		a.event = AuditEvent{Tenant: q.readText(e.tenant), Type: q.readText(e.kind), Payload: q.readText(e.payload), At: e.at}
		if a.event.Type == governedType && !e.uncounted {
			if err := a.count(s.Node(), e.at, table); err != nil {
				return err
			}
		}
		if err := a.seal(s, &a.event, table); err != nil {
			return err
		}
		if due := s.Due(); due != nil {
			due.At = a.event.At
			if err := a.seal(s, due, table); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(a.endSegment(s, table), a.storeCalls(s.Node(), table)); err != nil {
		return err
	}
	if cap(a.data) > 2*segmentBytes {
		a.data, a.frame = nil, nil
	}
	return table.saveHead(s.Node(), s.Head())
}

// seal adds the event to the segment, and ends the segment if necessary.
func (a *auditInsert) seal(s Sealer, e *AuditEvent, table auditTable) error {
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
	if err := a.endSegment(s, table); err != nil || c == nil {
		return err
	}
	c.At = e.At
	return table.saveCheckpoint(s.Node(), c)
}

func (a *auditInsert) endSegment(s Sealer, table auditTable) error {
	if len(a.data) == 0 {
		return nil
	}
	a.seg.Node = s.Node()
	s.SealSegment(&a.seg)
	a.seg.Data = a.data
	if a.encoder != nil && a.seg.LastAt >= a.compressFrom {
		a.frame = a.encoder.EncodeAll(a.data, a.frame[:0])
		if len(a.frame) < len(a.data) {
			a.seg.Data = a.frame
		}
	}
	err := table.saveSegment(&a.seg)
	a.data = a.data[:0]
	return err
}

// count adds a governed call to its month.
func (a *auditInsert) count(node string, at int64, table auditTable) error {
	if at >= a.monthEnds || at < a.monthStarts {
		if err := a.storeCalls(node, table); err != nil {
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

func (a *auditInsert) storeCalls(node string, table auditTable) error {
	if a.calls == 0 {
		return nil
	}
	n := a.calls
	a.calls = 0
	return table.countCalls(node, a.month, n)
}

// convertHash returns b as a hash. If its length is wrong, it returns zeros, which match no signature.
func convertHash(b []byte) (d [32]byte) {
	if len(b) == len(d) {
		copy(d[:], b)
	}
	return d
}

// set sets the fields that are stored as bytes.
func (h *AuditHead) set(hash, sig []byte) error {
	h.Hash, h.Sig = convertHash(hash), convertHash(sig)
	if len(hash) != len(h.Hash) || len(sig) != len(h.Sig) {
		return errors.New("the stored head of the chain is damaged")
	}
	return nil
}
