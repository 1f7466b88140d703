package store

import "time"

// The pause after a failed attempt to write a batch, and its bound.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// run is the writer's goroutine: it sleeps until a record waits, gives it company for the interval, and writes.
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
		if closing { // nothing can be added since closed was set before quit was closed
			return
		}
	}
}

// flush writes what waits, as often as it takes; it answers false when Close gave up.
func (w *Writer) flush() bool {
	w.mu.Lock()
	if w.in.len() == 0 {
		w.mu.Unlock()
		return true
	}
	batch := w.in
	w.busy, w.in, w.first = batch, w.spare(), time.Time{}
	if w.space != nil {
		close(w.space)
		w.space = nil
	}
	sealer := w.sealer
	w.mu.Unlock()

	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := w.out.write(w.ctx, batch, sealer)
		if err == nil {
			break
		}
		w.mu.Lock()
		w.lastErr = err
		w.stats.Failures++
		w.mu.Unlock()
		if w.opt.OnError != nil {
			w.opt.OnError(err, batch.len())
		}
		select {
		case <-time.After(pause):
		case <-w.ctx.Done():
			return false
		}
	}

	w.mu.Lock()
	w.lastErr, w.busy = nil, nil
	w.stats.Flushes++
	w.stats.Written += int64(batch.len())
	if batch.done != nil {
		close(batch.done)
	}
	w.mu.Unlock()
	batch.reset()
	w.empty = batch
	return true
}

// spare is a queue to go on with.
func (w *Writer) spare() *queue {
	q := w.empty
	w.empty = nil
	if q == nil {
		q = &queue{}
	}
	return q
}
