package store

import (
	"context"
	"fmt"
	"time"
)

// lockForAppend locks the writer if there is room for the records. On an error the writer is not locked.
func (w *Writer) lockForAppend(ctx context.Context, need load) error {
	if need.bytes > min(w.opt.MaxBytes, maxArena) {
		return ErrTooLarge
	}
	return w.lockWithRoom(ctx, need)
}

// lockWithRoom is enter for records that fit the queue's maximum size.
func (w *Writer) lockWithRoom(ctx context.Context, need load) error {
	w.mu.Lock()
	if w.hasRoom(need) && !w.closed {
		return nil
	}
	return w.awaitRoom(ctx, need)
}

// sumPendingLoad returns the load of all records that are not durable yet.
func (w *Writer) sumPendingLoad() load {
	all := w.in.measureLoad()
	all.add(w.behind)
	return all
}

// hasRoom reports whether the records fit beside the queued ones and the reserved room. An empty queue accepts
// anything.
func (w *Writer) hasRoom(need load) bool {
	all := w.sumPendingLoad()
	all.add(w.reserved)
	if all == (load{}) {
		return true
	}
	return all.records+need.records <= w.opt.MaxRecords && all.bytes+need.bytes <= w.opt.MaxBytes
}

// wakeWaiting wakes goroutines that wait for room. The writer is locked.
func (w *Writer) wakeWaiting() {
	if w.space != nil {
		close(w.space)
		w.space = nil
	}
}

// awaitRoom waits until written batches make room. The writer is locked when it is called and, unless it returns an
// error, when it returns.
func (w *Writer) awaitRoom(ctx context.Context, need load) error {
	timer := time.NewTimer(w.opt.Wait)
	defer timer.Stop()
	for !w.closed {
		if w.hasRoom(need) {
			return nil
		}
		if w.space == nil {
			w.space = make(chan struct{})
		}
		space := w.space
		signalChannel(w.full)
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

// unlockAfterAppend unlocks the writer after an append and wakes the goroutine if necessary.
func (w *Writer) unlockAfterAppend() {
	n := w.in.measureLoad()
	first := n.records > 0 && w.first.IsZero()
	if first {
		w.first = time.Now()
	}
	due := n.records >= w.opt.FlushRecords || n.bytes >= min(batchBytes, w.opt.MaxBytes)/2
	if n.records >= batchRecords || n.bytes >= batchBytes {
		w.waiting = append(w.waiting, w.in)
		w.behind.add(n)
		w.in, w.first = w.reuseQueue(), time.Time{}
	}
	w.mu.Unlock()
	if first {
		signalChannel(w.wake)
	}
	if due {
		signalChannel(w.full)
	}
}
