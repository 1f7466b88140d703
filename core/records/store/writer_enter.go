package store

import (
	"context"
	"fmt"
	"time"
)

// enter locks the writer when there is room for a record of size bytes. On an error the writer is not locked.
func (w *Writer) enter(ctx context.Context, size int) error {
	if size > w.opt.MaxBytes {
		return ErrTooLarge
	}
	w.mu.Lock()
	if w.hasRoom(size) && !w.closed {
		return nil
	}
	return w.await(ctx, size)
}

func (w *Writer) hasRoom(size int) bool {
	return w.in.len() < w.opt.MaxRecords && len(w.in.arena)+size <= w.opt.MaxBytes
}

// await is the slow road of enter: it comes locked, and waits for a flush to make room.
func (w *Writer) await(ctx context.Context, size int) error {
	timer := time.NewTimer(w.opt.Wait)
	defer timer.Stop()
	for !w.closed {
		if w.hasRoom(size) {
			return nil
		}
		if w.space == nil {
			w.space = make(chan struct{})
		}
		space := w.space
		signal(w.full)
		w.mu.Unlock()
		var err error
		select {
		case <-space:
		case <-timer.C:
			err = ErrBusy
		case <-ctx.Done():
			err = fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
		}
		w.mu.Lock()
		if err != nil {
			w.stats.Refused++
			w.mu.Unlock()
			return err
		}
	}
	w.mu.Unlock()
	return ErrClosed
}

// leave unlocks the writer after records were added, and wakes the goroutine where that is due.
func (w *Writer) leave() {
	n := w.in.len()
	first := n > 0 && w.first.IsZero()
	if first {
		w.first = time.Now()
	}
	due := n >= w.opt.FlushRecords || len(w.in.arena) >= w.opt.MaxBytes/2
	w.mu.Unlock()
	if first {
		signal(w.wake)
	}
	if due {
		signal(w.full)
	}
}
