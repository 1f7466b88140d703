package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/store"
)

// Log appends events to the chain. Its methods may be called from any goroutine.
type Log struct {
	w     *store.Writer
	guest bool
}

// Start is what Open found.
type Start struct {
	Clean bool      // the chain is new, or its last writer had shut down in order
	Last  int64     // number of the last record before this start, 0 when there was none
	Since time.Time // time of that record
}

// Open continues the chain through w, signing with key, and writes the record of this start; it is durable when Open
// returns. From then on w accepts audit events. Close the log before the writer.
func Open(ctx context.Context, db *store.DB, w *store.Writer, key []byte) (*Log, Start, error) {
	l, start, err := open(ctx, db, w, key)
	if err != nil {
		return nil, Start{}, err
	}
	var p Payload
	p.Bool("clean", start.Clean)
	p.Int("previous_seq", start.Last)
	if start.Last > 0 {
		p.Str("previous_at", start.Since.Format(time.RFC3339Nano))
	}
	if !start.Clean {
		p.Str("gap", "records accepted after previous_at and before this one may be missing")
	}
	if err := l.Append(ctx, Event{Type: ChainOpened, Payload: p.Bytes()}); err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	if err := w.Sync(ctx); err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	return l, start, nil
}

// OpenGuest is Open for a short-lived process beside a running gateway, such as a command: it adds events, and neither
// marks a start nor a shutdown.
func OpenGuest(ctx context.Context, db *store.DB, w *store.Writer, key []byte) (*Log, error) {
	l, _, err := open(ctx, db, w, key)
	if err != nil {
		return nil, err
	}
	l.guest = true
	return l, nil
}

func open(ctx context.Context, db *store.DB, w *store.Writer, key []byte) (*Log, Start, error) {
	h, err := newHasher(key)
	if err != nil {
		return nil, Start{}, err
	}
	start := Start{Clean: true}
	c := &chain{hash: h}
	head, err := db.AuditHead(ctx)
	if err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	var last *store.AuditRecord
	err = db.AuditEvents(ctx, store.AuditFilter{Limit: 1}, func(r *store.AuditRecord) error {
		own := *r
		last = &own
		return nil
	})
	if err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	switch {
	case head == nil && last == nil:
	case head == nil:
		return nil, Start{}, errors.New("open audit chain: it has records and no head; run the verification")
	default:
		if err := c.Resume(*head); err != nil {
			return nil, Start{}, fmt.Errorf("open audit chain: %w; was it written with another key?", err)
		}
		start = Start{Last: head.Seq, Since: time.UnixMicro(head.At).UTC()}
		start.Clean = last != nil && last.Seq == head.Seq && last.Type == ChainClosed
	}
	w.SetSealer(c)
	return &Log{w: w}, start, nil
}

// Append queues the event; it is durable within about 50 ms, or when Sync has returned. An error means that it was not
// taken: store.ErrBusy when the queue stayed full, and then what it tells of must not happen.
func (l *Log) Append(ctx context.Context, e Event) error {
	return l.w.AppendAudit(ctx, e.Tenant, e.Type, e.Payload)
}

// Sync returns when all events appended before it are durable.
func (l *Log) Sync(ctx context.Context) error { return l.w.Sync(ctx) }

// Close marks an orderly shutdown and returns when that is durable. No event may be appended after it.
func (l *Log) Close(ctx context.Context) error {
	if l.guest {
		return l.w.Sync(ctx)
	}
	if err := l.Append(ctx, Event{Type: ChainClosed, Payload: []byte("{}")}); err != nil {
		return fmt.Errorf("close audit chain: %w", err)
	}
	return l.w.Sync(ctx)
}
