package store

import (
	"errors"
	"slices"
	"time"
)

// The initial and the maximum pause after a failed attempt to write a batch.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// run is the writer's goroutine. It sleeps until a record arrives, collects more for the interval, and writes the
// batch.
func (w *Writer) run() {
	defer close(w.gone)
	defer w.abandon()
	defer w.out.close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		closing := false
		select {
		case <-w.wake:
			w.mu.Lock()
			due := w.opt.Interval - time.Since(w.first)
			w.mu.Unlock()
			timer.Reset(due)
			select {
			case <-timer.C:
			case <-w.full:
			case <-w.quit:
				closing = true
			}
		case <-w.full:
		case <-w.quit:
			closing = true
		}
		if !w.flush() {
			return
		}
		if closing { // nothing more can arrive: closed was set before quit was closed
			return
		}
	}
}

// flush writes the waiting batches, oldest first, and then the newest. It returns false if Close gave up.
func (w *Writer) flush() bool {
	for {
		batch, newest := w.takeBatch()
		if batch == nil {
			return true
		}
		if !w.writeBatch(batch) {
			return false
		}
		if newest {
			return true
		}
	}
}

// takeBatch returns the batch to write next, or nil, and whether it was still accepting records.
func (w *Writer) takeBatch() (batch *queue, newest bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) > 0 {
		w.busy = w.waiting[0]
		w.waiting = slices.Delete(w.waiting, 0, 1)
		return w.busy, false
	}
	if w.in.count() == 0 {
		return nil, true
	}
	w.busy = w.in
	w.behind.add(w.in.measureLoad())
	w.in, w.first = w.reuseQueue(), time.Time{}
	return w.busy, true
}

// writeBatch writes the batch and retries until it succeeds. It returns false if Close gave up.
func (w *Writer) writeBatch(batch *queue) bool {
	w.mu.Lock()
	sealer := w.sealer
	w.mu.Unlock()
	size := batch.measureLoad() // measure before attempts remove records that are already stored
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := w.out.write(w.ctx, batch, sealer)
		if err == nil {
			break
		}
		w.mu.Lock()
		if w.ctx.Err() == nil || w.lastErr == nil { // that Close gave up is not the cause
			w.lastErr = err
		}
		w.stats.Failures++
		w.mu.Unlock()
		if w.opt.OnError != nil {
			w.opt.OnError(err, batch.count())
		}
		select {
		case <-time.After(pause):
		case <-w.ctx.Done():
			return false
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastErr, w.busy = nil, nil
	w.behind.subtract(size)
	w.stats.Flushes++
	w.stats.Written += int64(batch.count())
	if batch.done != nil {
		close(batch.done)
	}
	w.wakeWaiting()
	batch.reset()
	w.empty = batch
	return true
}

// reuseQueue returns an empty queue and reuses memory if possible. The writer is locked.
func (w *Writer) reuseQueue() *queue {
	q := w.empty
	w.empty = nil
	if q == nil {
		q = &queue{}
	}
	return q
}

// watchHealth checks the health of the database until the writer is closed.
func (w *Writer) watchHealth() {
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	check := healthCheck{db: w.db}
	for {
		select {
		case <-tick.C:
			check.run(w.ctx)
			w.mu.Lock()
			err := w.lastErr
			w.mu.Unlock()
			if errors.Is(err, ErrCorrupt) && w.db.CheckHealth() == nil { // a page that the health check does not read
				w.db.setHealth(err)
			}
		case <-w.quit:
			return
		}
	}
}
