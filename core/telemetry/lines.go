package telemetry

import (
	"io"
	"sync"
	"time"
)

// lines buffers log lines and writes them in batches, so that a request does not pay for a system call. A line waits at
// most flushEvery.
type lines struct {
	mu    sync.Mutex
	buf   []byte
	spare []byte
	out   io.Writer
	write sync.Mutex    // keeps batches in order
	wake  chan struct{} // the first line of a batch has arrived
	full  chan struct{} // the batch is large enough
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once
	err   error

	closed bool // no more buffering: each line is written at once
}

const (
	flushEvery = 100 * time.Millisecond
	// flushAt wakes the writer early. A long write makes the runtime hand the processor over and watch it closely for a
	// while, which costs more than the write itself: so writes are few and large.
	flushAt = 128 << 10
	// beyond maxLines the logging goroutine writes itself: a slow disk slows down its cause.
	maxLines  = 1 << 20
	keepLines = 256 << 10
)

func newLines(out io.Writer) *lines {
	l := &lines{out: out, wake: make(chan struct{}, 1), full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

// Write buffers one line. It never fails: a broken log must not stop the gateway.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	first := len(l.buf) == 0
	l.buf = append(l.buf, b...)
	n, closed := len(l.buf), l.closed
	l.mu.Unlock()
	switch {
	case n >= maxLines || closed:
		l.flush()
	case first:
		signalChannel(l.wake)
	case n >= flushAt && n-len(b) < flushAt:
		signalChannel(l.full)
	}
	return len(b), nil
}

func signalChannel(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *lines) flush() {
	l.write.Lock()
	defer l.write.Unlock()
	l.mu.Lock()
	b := l.buf
	l.buf, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	if len(b) > 0 {
		_, err := l.out.Write(b)
		l.mu.Lock()
		if err != nil && l.err == nil {
			l.err = err
		}
		l.mu.Unlock()
	}
	if cap(b) <= keepLines {
		l.mu.Lock()
		l.spare = b
		l.mu.Unlock()
	}
}

// run writes batches that have waited long enough. It sleeps while nothing is logged.
func (l *lines) run() {
	defer close(l.done)
	for {
		select {
		case <-l.wake:
		case <-l.stop:
			l.flush()
			return
		}
		select {
		case <-time.After(flushEvery):
		case <-l.full:
		case <-l.stop:
		}
		l.flush()
	}
}

// Close writes the rest and returns the first write error.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.stop) })
	<-l.done
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.flush() // lines since the last batch
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
