package store

import (
	"context"
	"errors"
	"fmt"
)

// Sync returns when all records appended before the call are durable.
func (w *Writer) Sync(ctx context.Context) error {
	w.mu.Lock()
	last := w.in // batches are written in order
	if last.count() == 0 {
		last = w.busy
		if n := len(w.waiting); n > 0 {
			last = w.waiting[n-1]
		}
	}
	if last == nil {
		w.mu.Unlock()
		return nil
	}
	if last.done == nil {
		last.done = make(chan struct{})
	}
	done := last.done
	w.mu.Unlock()
	signalChannel(w.full)
	select {
	case <-done:
		return nil
	case <-w.gone: // the last batch may have just been written
		select {
		case <-done:
			return nil
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return fmt.Errorf("wait for traffic records: %w", ctx.Err())
	}
}

// Close stops accepting records, writes the queued ones, and ends the goroutine. If ctx ends first, it abandons the
// rest, and the error says how many records that were.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.quit)
	}
	w.mu.Unlock()
	select {
	case <-w.gone:
	case <-ctx.Done():
		w.abandon()
		<-w.gone
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := w.sumPendingLoad().records; left > 0 {
		return fmt.Errorf("close writer: %d traffic records were not written: %w", left, errors.Join(w.lastErr, ctx.Err()))
	}
	return nil
}

func signalChannel(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
