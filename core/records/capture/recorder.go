package capture

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// Capture limits.
const (
	maxBody  = 4 << 20 // bytes per body; an exchange with a larger one is stored without bodies
	maxQueue = 256     // exchanges waiting to be written; further ones are dropped and counted
	maxWait  = 64 << 20
)

// Reasons why a record has no bodies.
const (
	LeftSize  = "too large"
	LeftFault = "could not be redacted"
)

// Options configure a Recorder.
type Options struct {
	Dir string
	Key []byte // 32 bytes
	// Tenants restricts capture to these tenants; empty captures all of them.
	Tenants []string
	// Share is the fraction of exchanges to capture, above 0 and at most 1. The exchange id decides, so the sample is
	// deterministic.
	Share float64
	// Keep is the maximum age of a segment, and MaxSize the total size of all segments in bytes. The oldest are deleted
	// first.
	Keep    time.Duration
	MaxSize int64
	// Redact is the chain that redacts bodies before they are written.
	Redact *chain.Chain
	// OnError receives write errors and the number of dropped exchanges, at most once a minute.
	OnError func(err error, dropped int64)
}

// Recorder captures exchanges in the background. No exchange waits for it.
type Recorder struct {
	o       Options
	queue   chan *Draft
	waiting atomic.Int64 // bytes
	dropped atomic.Int64
	kept    atomic.Int64
	over    chan struct{} // closed to stop the recorder
	done    chan struct{}
	stop    sync.Once
	files   *segments
	told    time.Time
}

// Open starts a recorder. It creates the folder if necessary.
func Open(o Options) (*Recorder, error) {
	files, err := openSegments(o)
	if err != nil {
		return nil, err
	}
	r := &Recorder{o: o, queue: make(chan *Draft, maxQueue), over: make(chan struct{}), done: make(chan struct{}), files: files}
	go r.run()
	return r, nil
}

// wants reports whether to capture an exchange.
func (r *Recorder) wants(x *core.Exchange) bool {
	if x.Principal == nil || len(r.o.Tenants) > 0 && !slices.Contains(r.o.Tenants, x.Principal.Tenant) {
		return false
	}
	if r.o.Share >= 1 {
		return true
	}
	sum := sha256.Sum256([]byte(x.ID))
	return float64(binary.BigEndian.Uint64(sum[:])>>11)/(1<<53) < r.o.Share
}

// enqueue queues an exchange, or drops it if the queue is full: traffic must not wait for the recorder.
func (r *Recorder) enqueue(d *Draft) {
	n := int64(len(d.rec.Request) + len(d.rec.Response))
	over := false
	select {
	case <-r.over:
		over = true
	default:
	}
	if r.waiting.Add(n) <= maxWait && !over {
		select {
		case r.queue <- d:
			return
		default:
		}
	}
	r.waiting.Add(-n)
	r.dropped.Add(1)
}

func (r *Recorder) run() {
	defer close(r.done)
	tick := time.NewTicker(flushTime)
	defer tick.Stop()
	for {
		select {
		case d := <-r.queue:
			r.storeDraft(d)
		case <-r.over:
			for len(r.queue) > 0 {
				r.storeDraft(<-r.queue)
			}
			r.reportError(r.files.close())
			return
		case <-tick.C:
			r.reportError(r.files.tidy(time.Now()))
		}
	}
}

// flushTime is the maximum time that a record waits in a buffer.
const flushTime = time.Second

func (r *Recorder) storeDraft(d *Draft) {
	r.waiting.Add(-int64(len(d.rec.Request) + len(d.rec.Response)))
	if d.rec.Left == "" && !r.redact(d) {
		d.rec.Request, d.rec.Response, d.rec.Left = nil, nil, LeftFault
	}
	err := r.files.append(&d.rec, time.Now())
	if err != nil {
		r.dropped.Add(1)
	} else {
		r.kept.Add(1)
	}
	r.reportError(err)
}

func (r *Recorder) reportError(err error) {
	if err == nil || r.o.OnError == nil || time.Since(r.told) < time.Minute {
		return
	}
	r.told = time.Now()
	r.o.OnError(err, r.dropped.Load())
}

// Counts returns how many exchanges were captured and how many dropped.
func (r *Recorder) Counts() (kept, dropped int64) { return r.kept.Load(), r.dropped.Load() }

// Close writes what is queued. Exchanges that end later are dropped.
func (r *Recorder) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.stop.Do(func() { close(r.over) })
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
