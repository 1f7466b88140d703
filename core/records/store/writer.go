package store

import (
	"context"
	"sync"
	"time"
)

// Writer gathers audit events, usage records and vault tokens of all exchanges and writes them in one transaction per
// batch. Nothing is dropped: a record is in the queue, or its append answered an error. While the database cannot be
// written to, records wait in memory, in as many batches as the bounds of the queue allow. Its methods may be called
// from any goroutine.
type Writer struct {
	db   *DB
	opt  WriterOptions
	wake chan struct{} // the queue is no longer empty
	full chan struct{} // the queue should be written now
	quit chan struct{} // closed by Close
	gone chan struct{} // closed when the goroutine has ended
	out  flusher       // used by the goroutine only

	ctx     context.Context // ended when Close gives up
	abandon context.CancelFunc

	mu       sync.Mutex
	in       *queue        // records are added here
	waiting  []*queue      // full batches behind busy, oldest first
	busy     *queue        // being written; nil: none
	behind   load          // of waiting and busy
	reserved load          // see Room
	empty    *queue        // the last batch, for its memory
	first    time.Time     // when the first record of in came; zero: it is empty
	space    chan struct{} // closed when there is room again; created by whoever waits
	closed   bool
	sealer   Sealer
	stats    WriterStats
	lastErr  error
}

// flusher stores batches.
type flusher interface {
	// write commits the batch, or leaves the database as it was. A batch that was not written is given to it again; when
	// it was written all the same, and the connection broke before that could be told, it is not written twice.
	write(ctx context.Context, q *queue, s Sealer) error
	close()
}

// WriterStats are counts since the start, for metrics, and the state of this moment.
type WriterStats struct {
	Queued, QueuedBytes int   // waiting or being written
	Written, Flushes    int64 // records and transactions that are durable
	Failures            int64 // failed attempts; the records were kept and tried again
	Refused             int64 // appends and reservations that answered ErrBusy; nothing of them was taken
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
	all := w.queued()
	s.Queued, s.QueuedBytes = all.records, all.bytes
	s.Failing, s.Full = w.lastErr != nil, !w.hasRoom(exchangeLoad)
	return s
}
