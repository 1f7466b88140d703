package store

import (
	"context"
	"time"
)

// AuditEvent is an event to be chained. The strings that a Sealer receives are valid only during the call.
type AuditEvent struct {
	Tenant, Type string
	Payload      string // JSON
	At           int64  // microseconds since 1970 UTC
}

// AuditHead is the last record of a node's chain. It is signed separately, so that truncation is detected. The zero
// head belongs to an empty chain.
type AuditHead struct {
	Seq, At   int64
	Hash, Sig [32]byte
}

// Sealer seals the chain of one node. The audit package, which holds the key, implements it. The writer's goroutine
// calls it within the transaction of a batch: Resume once with the stored head, Seal for each event in order,
// Checkpoint after each event, SealSegment after the last event of each segment, Head once for the head to store, and
// MarkDurable when everything is durable. If a batch fails, sealing restarts from Resume.
type Sealer interface {
	// Node returns the name of the chain.
	Node() string
	Resume(head AuditHead) error
	// Seal numbers and dates the event and returns its tag. It may write the payload.
	Seal(e *AuditEvent) (seq int64, tag [TagSize]byte)
	// Due returns a checkpoint to seal as the next event, or nil.
	Due() *AuditEvent
	// Checkpoint returns the index entry if the last sealed event is a checkpoint, and otherwise nil. A checkpoint ends
	// its segment.
	Checkpoint() *AuditCheckpoint
	// SealSegment sets Hash and Sig of a segment whose other fields are set.
	SealSegment(s *AuditSegment)
	Head() AuditHead
	MarkDurable()
}

type auditEntry struct {
	at                    int64
	tenant, kind, payload span
	uncounted             bool
}

// SetSealer sets the sealer of all further audit events.
func (w *Writer) SetSealer(s Sealer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealer = s
}

// AppendAudit queues a copy of one audit event with the current time. payload is JSON. If the queue is full, it waits;
// see ErrBusy.
func (w *Writer) AppendAudit(ctx context.Context, tenant, kind string, payload []byte) error {
	return w.AppendAudits(ctx, AuditText{Tenant: tenant, Type: kind, Payload: payload})
}

// AuditText is an event to queue.
type AuditText struct {
	Tenant  string // "" for the installation itself
	Type    string
	Payload []byte // a JSON object
	// Uncounted is set for a GATEWAY_REQUEST that is not a governed call, because the key lacks the scope.
	Uncounted bool
	At        time.Time // events appended together share the time of the first; zero means now
}

// AppendAudits queues events that are stored in this order with nothing in between. On an error none of them is stored.
// They share a time.
func (w *Writer) AppendAudits(ctx context.Context, events ...AuditText) error {
	return w.AppendExchange(ctx, nil, events...)
}

// AppendExchange is AppendAudits together with AppendUsage, unless u is nil. One transaction stores all of it; on an
// error nothing is queued.
func (w *Writer) AppendExchange(ctx context.Context, u *UsageRecord, events ...AuditText) error {
	if err := w.lockForAppend(ctx, load{1, measureRecords(u, events)}); err != nil {
		return err
	}
	if err := w.add(u, events); err != nil {
		return err
	}
	w.unlockAfterAppend()
	return nil
}

// measureRecords returns the maximum number of arena bytes that the records take.
func measureRecords(u *UsageRecord, events []AuditText) int {
	size := 0
	for i := range events {
		e := &events[i]
		size += len(e.Tenant) + len(e.Type) + len(e.Payload)
	}
	if u != nil {
		size += u.measureSize()
	}
	return size
}

// add queues the records. The caller has locked the writer, which stays locked unless add returns an error.
func (w *Writer) add(u *UsageRecord, events []AuditText) error {
	if w.sealer == nil {
		w.mu.Unlock()
		return ErrNoSealer
	}
	q, at := w.in, w.findEventTime(events).UnixMicro()
	for i := range events {
		e := &events[i]
		q.audit = append(q.audit, auditEntry{
			at: at, tenant: copyToArena(q, e.Tenant), kind: copyToArena(q, e.Type), payload: copyToArena(q, e.Payload), uncounted: e.Uncounted,
		})
	}
	if u != nil {
		w.addUsage(q, u)
	}
	return nil
}

// findEventTime returns the time of events that are appended together.
func (w *Writer) findEventTime(events []AuditText) time.Time {
	if len(events) > 0 && !events[0].At.IsZero() {
		return events[0].At
	}
	return w.db.now()
}
