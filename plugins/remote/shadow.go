package remote

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
)

// Limits of the queue of a link in shadow mode.
const (
	shadowCalls   = 64
	shadowBytes   = 8 << 20
	shadowWorkers = 2
)

// Observed is a receiver's verdict in shadow mode on some texts of an exchange. The exchange has continued without
// waiting for it.
type Observed struct {
	Link, Exchange string
	Phase          core.Phase
	Action         Action   // "" if the call failed
	Labels         []string // of the findings, sorted, each once
	Fault          error
	// Dropped is how many calls were dropped since the last Observed, because the receiver could not keep up.
	Dropped int64
}

// shadow sends copies to a receiver whose verdict changes nothing, so that no exchange waits for it.
type shadow struct {
	s       *Stage
	note    func(Observed)
	calls   chan *Question
	bytes   atomic.Int64
	dropped atomic.Int64
	ctx     context.Context // ends the calls of the workers
	cancel  context.CancelFunc
	workers sync.WaitGroup
}

func newShadow(s *Stage, note func(Observed)) *shadow {
	ctx, cancel := context.WithCancel(context.Background())
	h := &shadow{s: s, note: note, calls: make(chan *Question, shadowCalls), ctx: ctx, cancel: cancel}
	for range min(shadowWorkers, s.o.Calls) {
		h.workers.Go(h.runWorker)
	}
	return h
}

// send queues a copy of some parts, or drops them if the queue is full.
func (h *shadow) send(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	q := h.s.buildQuestion(x, p, stream, listPieces(parts))
	size := q.measureSize()
	if h.bytes.Add(size) > shadowBytes {
		h.bytes.Add(-size)
		h.dropped.Add(1)
		return
	}
	select {
	case h.calls <- q.clone():
	default:
		h.bytes.Add(-size)
		h.dropped.Add(1)
	}
}

func (h *shadow) runWorker() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case q := <-h.calls:
			h.ask(q)
		}
	}
}

func (h *shadow) ask(q *Question) {
	ctx, cancel := context.WithTimeout(h.ctx, h.s.o.Timeout)
	defer cancel()
	o := Observed{Link: h.s.o.Link, Exchange: q.Exchange, Phase: q.Phase}
	v, err := h.s.ask(ctx, h.ctx, "", q)
	h.bytes.Add(-q.measureSize())
	if h.ctx.Err() != nil {
		return // the link is being closed
	}
	if o.Fault = err; err == nil {
		o.Action = v.Action
		for _, spans := range v.Spans {
			for _, s := range spans {
				o.Labels = append(o.Labels, s.Label)
			}
		}
		slices.Sort(o.Labels)
		o.Labels = slices.Compact(o.Labels)
	}
	o.Dropped = h.dropped.Swap(0)
	if h.note != nil {
		h.note(o)
	}
}

// close stops the workers and drops the queued calls.
func (h *shadow) close() {
	h.cancel()
	h.workers.Wait()
}
