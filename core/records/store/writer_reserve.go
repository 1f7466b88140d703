package store

import "context"

// load is a number of records and of the bytes of their strings.
type load struct{ records, bytes int }

func (l *load) add(o load)      { l.records, l.bytes = l.records+o.records, l.bytes+o.bytes }
func (l *load) subtract(o load) { l.records, l.bytes = l.records-o.records, l.bytes-o.bytes }

// exchangeLoad is the room reserved for an admitted exchange: GATEWAY_REQUEST, GATEWAY_RESPONSE, POLICY_DECISION,
// PII_REDACTED, BUDGET_EXCEEDED and a usage record, together 0.7 to 1.5 KiB.
var exchangeLoad = load{records: 6, bytes: 2 << 10}

// Room is the part of the queue that is reserved for the records of one admitted exchange. The zero Room is empty.
type Room struct{ left load }

// Reserve reserves room for all records of an exchange before it is admitted, so that none of them finds the queue full
// later. If there is no room, it waits and then returns ErrBusy: the exchange must be refused.
func (w *Writer) Reserve(ctx context.Context) (Room, error) {
	if err := w.lockWithRoom(ctx, exchangeLoad); err != nil {
		return Room{}, err
	}
	w.reserved.add(exchangeLoad)
	w.mu.Unlock()
	return Room{left: exchangeLoad}, nil
}

// Release returns the room that the exchange did not use. Releasing twice is harmless.
func (w *Writer) Release(r *Room) {
	if r.left == (load{}) {
		return
	}
	w.mu.Lock()
	w.reserved.subtract(r.left)
	r.left = load{}
	w.wakeWaiting()
	w.mu.Unlock()
}

// AppendAdmitted is AppendExchange for an admitted exchange. It does not wait and never fails for lack of room: the
// records use the exchange's room and, if they are larger, room that newcomers are then refused. A nil room counts as
// used up. The error is ErrClosed, ErrNoSealer or ErrTooLarge.
func (w *Writer) AppendAdmitted(r *Room, u *UsageRecord, events ...AuditText) error {
	size := measureRecords(u, events)
	if size > maxArena {
		return ErrTooLarge
	}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	before := w.in.measureLoad()
	if err := w.add(u, events); err != nil {
		return err
	}
	if r != nil {
		added := w.in.measureLoad()
		added.subtract(before)
		used := load{min(added.records, r.left.records), min(added.bytes, r.left.bytes)}
		r.left.subtract(used)
		w.reserved.subtract(used)
	}
	w.unlockAfterAppend()
	return nil
}
