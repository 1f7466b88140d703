package store

import (
	"context"
	"sync"
	"time"
)

// Writer collects audit events, usage records and vault tokens of all exchanges and writes one transaction per batch.
// It drops nothing: either a record is queued or its append returned an error. While the database cannot be written,
// records wait in memory, in as many batches as the queue's limits allow. It is safe for concurrent use.
type Writer struct {
	db   *DB
	opt  WriterOptions
	wake chan struct{} // the queue is no longer empty
	full chan struct{} // the queue should be flushed now
	quit chan struct{} // closed by Close
	gone chan struct{} // closed when the goroutine has ended
	out  flusher       // only for the goroutine

	ctx     context.Context // cancelled when Close gives up
	abandon context.CancelFunc

	mu       sync.Mutex
	in       *queue        // records are added here
	waiting  []*queue      // full batches after busy, oldest first
	busy     *queue        // being written, or nil
	behind   load          // of waiting and busy
	reserved load          // see Room
	empty    *queue        // the previous batch, whose memory is reused
	first    time.Time     // arrival of in's first record; zero if it is empty
	space    chan struct{} // closed when there is room again; created by the first waiter
	closed   bool
	sealer   Sealer
	stats    WriterStats
	lastErr  error
}

// flusher stores batches.
type flusher interface {
	// write commits the batch or leaves the database unchanged. It gets a failed batch again. If a connection broke
	// after the commit, it must not write the batch twice.
	write(ctx context.Context, q *queue, s Sealer) error
	close()
}

// WriterStats are counts since the start and the current state, for metrics.
type WriterStats struct {
	Queued, QueuedBytes int   // waiting or being written
	Written, Flushes    int64 // durable records and transactions
	Failures            int64 // failed attempts; their records are retried
	Refused             int64 // appends and reservations that returned ErrBusy
	Failing             bool  // the last attempt failed
	Full                bool  // another exchange would be refused now
}

// NewWriter starts a writer on db. It runs until Close.
func NewWriter(db *DB, opt WriterOptions) *Writer {
	opt.fill()
	w := &Writer{
		db: db, opt: opt, in: &queue{},
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	var audit auditInsert
	if !opt.CompressFrom.IsZero() {
		audit.encoder, audit.compressFrom = newSegmentEncoder(), opt.CompressFrom.UnixMicro()
	}
	if w.out = (&sqliteFlusher{db: db, audit: audit}); db.postgres {
		w.out = &postgresFlusher{db: db, audit: audit}
	}
	w.ctx, w.abandon = context.WithCancel(context.Background())
	go w.run()
	go w.watchHealth()
	return w
}

// Stats returns the writer's counts and state.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	all := w.sumPendingLoad()
	s.Queued, s.QueuedBytes = all.records, all.bytes
	s.Failing, s.Full = w.lastErr != nil, !w.hasRoom(exchangeLoad)
	return s
}
