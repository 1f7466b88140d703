package store

import (
	"context"
	"errors"
	"fmt"
)

// Sync returns when all records appended before it are durable.
func (w *Writer) Sync(ctx context.Context) error {
	w.mu.Lock()
	var pending []chan struct{}
	for _, q := range []*queue{w.busy, w.in} {
		if q == nil || q.len() == 0 {
			continue
		}
		if q.done == nil {
			q.done = make(chan struct{})
		}
		pending = append(pending, q.done)
	}
	w.mu.Unlock()
	for _, done := range pending {
		signal(w.full)
		select {
		case <-done:
		case <-w.gone: // the last batch may have been written just before
			select {
			case <-done:
			default:
				return ErrClosed
			}
		case <-ctx.Done():
			return fmt.Errorf("wait for traffic records: %w", ctx.Err())
		}
	}
	return nil
}

// Close takes no more records, writes those that wait, and ends the goroutine. When ctx ends first, what could not be
// written is given up, and the error says how many records that were.
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
	left := w.in.len()
	if w.busy != nil {
		left += w.busy.len()
	}
	if left > 0 {
		return fmt.Errorf("close writer: %d traffic records were not written: %w", left, errors.Join(w.lastErr, ctx.Err()))
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
