package cache

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// flight is a request that was not answered from the cache, and the answer to it as it arrives.
type flight struct {
	key    key
	shelf  *shelf
	listed bool // equal requests wait for it
	done   chan struct{}
	landed *entry // set before done is closed; nil if there is nothing to share

	body    []byte // borrowed; see begin
	status  int
	stream  bool
	relaxed bool
	whole   bool // body is a whole answer, or the events of a stream so far
	limit   int64
}

func newFlight(k key, s *shelf) *flight {
	return &flight{key: k, shelf: s, listed: true, done: make(chan struct{})}
}

// finish ends the flight, with or without an answer to share.
func (f *flight) finish(e *entry) {
	if !f.listed {
		return
	}
	f.listed = false
	f.shelf.mu.Lock()
	delete(f.shelf.flights, f.key)
	f.landed = e
	f.shelf.mu.Unlock()
	close(f.done)
}

// wait waits for the answer of another request, for a limited time.
func (f *flight) wait(ctx context.Context, most time.Duration) *entry {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-f.done:
		return f.landed
	case <-t.C:
	case <-ctx.Done():
	}
	return nil
}

// storeAnswer stores a whole answer as it is at the position of the cache in the chain.
func (f *flight) storeAnswer(x *core.Exchange) error {
	f.body, f.whole, f.stream, f.status, f.relaxed = f.body[:0], false, false, x.Response.Status, x.Relaxed
	b, err := x.Response.AppendBody(nil)
	if err != nil || int64(len(b)) > f.limit {
		return err
	}
	f.body, f.whole = append(f.body, b...), true
	return nil
}

// bodies are buffers for streams. One that has grown serves the next stream, so that events are not copied as it grows.
var bodies sync.Pool

// maxKept is the largest buffer that is kept for the next stream, in bytes.
const maxKept = 64 << 10

// begin prepares for a stream.
func (f *flight) begin(x *core.Exchange) {
	if b, ok := bodies.Get().(*[]byte); ok && f.body == nil {
		f.body = *b
	}
	f.body, f.whole, f.stream, f.status, f.relaxed = f.body[:0], true, true, x.Response.Status, x.Relaxed
}

// AddEvent stores one event of a stream, as long as the stream is small enough.
func (f *flight) AddEvent(raw []byte) {
	if f.whole = f.whole && int64(len(f.body)+len(raw)) <= f.limit; f.whole {
		f.body = append(f.body, raw...)
	} else {
		f.releaseBody()
	}
}

// releaseBody gives the buffer away.
func (f *flight) releaseBody() {
	if b := f.body; cap(b) > 0 && cap(b) <= maxKept {
		bodies.Put(&b)
	}
	f.body = nil
}

// buildEntry returns the answer if the exchange ended normally, with the provider's answer delivered completely. Otherwise
// it returns nil, and nothing is stored.
func (f *flight) buildEntry(x *core.Exchange, now time.Time) *entry {
	if x.Head.Task == llm.TaskTool && !isLastingResult(x, f.body) {
		return nil
	}
	good := f.status >= 200 && f.status < 300 && x.Outcome.Kind == core.Served && x.Outcome.Complete
	if !good || !f.whole || len(f.body) == 0 {
		return nil
	}
	return &entry{status: f.status, at: now, body: bytes.Clone(f.body), stream: f.stream, relaxed: f.relaxed} // without spare capacity
}
