package store

import (
	"context"
	"sync"
	"time"
)

// Writer gathers audit events, usage records and vault tokens of all exchanges and writes them in one transaction per
// batch. Nothing is dropped: a record is in the queue, or its append answered an error. Its methods may be called from
// any goroutine.
type Writer struct {
	db   *DB
	opt  WriterOptions
	wake chan struct{} // the queue is no longer empty
	full chan struct{} // the queue should be written now
	quit chan struct{} // closed by Close
	gone chan struct{} // closed when the goroutine has ended
	// used by the goroutine only
	out   flusher
	empty *queue // the last batch, for its memory

	ctx     context.Context // ended when Close gives up
	abandon context.CancelFunc

	mu      sync.Mutex
	in      *queue        // records are added here
	busy    *queue        // being written, nil when none is
	first   time.Time     // when the first record of in came; zero: it is empty
	space   chan struct{} // closed when in is empty again; made when somebody waits
	closed  bool
	sealer  Sealer
	stats   WriterStats
	lastErr error
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
	Refused             int64 // appends that answered ErrBusy
	Failing             bool  // the last attempt failed
}

// NewWriter starts a writer on db. It runs until Close.
func NewWriter(db *DB, opt WriterOptions) *Writer {
	opt.fill()
	w := &Writer{
		db: db, opt: opt, in: &queue{},
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	if w.out = (&sqliteFlusher{db: db}); db.postgres {
		w.out = &postgresFlusher{db: db}
	}
	w.ctx, w.abandon = context.WithCancel(context.Background())
	go w.run()
	return w
}

// Stats says how the writer fares.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Queued, s.QueuedBytes = w.in.len(), len(w.in.arena)
	if w.busy != nil {
		s.Queued, s.QueuedBytes = s.Queued+w.busy.len(), s.QueuedBytes+len(w.busy.arena)
	}
	s.Failing = w.lastErr != nil
	return s
}
