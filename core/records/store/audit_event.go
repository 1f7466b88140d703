package store

import (
	"context"
	"time"
)

// AuditEvent is one event on its way into a chain. When a Sealer sees it, its texts are valid during the call only.
type AuditEvent struct {
	Tenant, Type string
	Payload      string // JSON
	At           int64  // microseconds since 1970 UTC
}

// AuditHead is the last record of a node's chain, signed by itself so that missing records at the end are noticed. The
// zero head is that of a chain without records.
type AuditHead struct {
	Seq, At   int64
	Hash, Sig [32]byte
}

// Sealer makes the chain of one node: the audit package, which holds the key. The writer's goroutine calls it within
// the transaction of a batch: Resume once with the head that the database holds, Seal for each event in order,
// Checkpoint after each event, SealSegment after the last event of each segment, Head once for the head to store, and
// Committed when all of it is durable. A batch that failed is sealed again from Resume on.
type Sealer interface {
	// Node names the chain.
	Node() string
	Resume(head AuditHead) error
	// Seal numbers and dates the event, and answers the tag that goes with it. It may write the payload itself.
	Seal(e *AuditEvent) (seq int64, tag [TagSize]byte)
	// Due answers a checkpoint to be sealed as the next event, nil when none is due.
	Due() *AuditEvent
	// Checkpoint is what to note of the event sealed last when it is a checkpoint, nil for any other. A checkpoint ends
	// its segment.
	Checkpoint() *AuditCheckpoint
	// SealSegment sets Hash and Sig of a segment whose other fields are set.
	SealSegment(s *AuditSegment)
	Head() AuditHead
	Committed()
}

type auditEntry struct {
	at                    int64
	tenant, kind, payload span
}

// SetSealer says who seals audit events from now on.
func (w *Writer) SetSealer(s Sealer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealer = s
}

// AppendAudit queues one audit event and copies what it is given. The time of the event is now; payload is JSON text.
// It waits when the queue is full, see ErrBusy.
func (w *Writer) AppendAudit(ctx context.Context, tenant, kind string, payload []byte) error {
	return w.AppendAudits(ctx, AuditText{Tenant: tenant, Type: kind, Payload: payload})
}

// AuditText is an event to be queued.
type AuditText struct {
	Tenant  string // "" for the installation itself
	Type    string
	Payload []byte    // a JSON object
	At      time.Time // of events that are appended together, the first one's is that of all; zero means now
}

// AppendAudits is AppendAudit for events that are stored in this order with nothing of others in between, all of them or,
// on an error, none. They share a time.
func (w *Writer) AppendAudits(ctx context.Context, events ...AuditText) error {
	return w.AppendExchange(ctx, nil, events...)
}

// AppendExchange is AppendAudits together with AppendUsage, unless u is nil: all of it is stored in one transaction or, on
// an error, nothing is taken.
func (w *Writer) AppendExchange(ctx context.Context, u *UsageRecord, events ...AuditText) error {
	if err := w.enter(ctx, load{1, sizeOf(u, events)}); err != nil {
		return err
	}
	if err := w.add(u, events); err != nil {
		return err
	}
	w.leave()
	return nil
}

// sizeOf returns how many bytes of the arena the records take at most.
func sizeOf(u *UsageRecord, events []AuditText) int {
	size := 0
	for i := range events {
		e := &events[i]
		size += len(e.Tenant) + len(e.Type) + len(e.Payload)
	}
	if u != nil {
		size += u.size()
	}
	return size
}

// add puts the records into the queue. The writer is locked and, unless it returns an error, stays so.
func (w *Writer) add(u *UsageRecord, events []AuditText) error {
	if w.sealer == nil {
		w.mu.Unlock()
		return ErrNoSealer
	}
	q, at := w.in, w.at(events).UnixMicro()
	for i := range events {
		e := &events[i]
		q.audit = append(q.audit, auditEntry{at: at, tenant: put(q, e.Tenant), kind: put(q, e.Type), payload: put(q, e.Payload)})
	}
	if u != nil {
		w.addUsage(q, u)
	}
	return nil
}

// at is the time of events that are appended together.
func (w *Writer) at(events []AuditText) time.Time {
	if len(events) > 0 && !events[0].At.IsZero() {
		return events[0].At
	}
	return w.db.now()
}
