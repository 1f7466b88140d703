package webhook

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// Limits of the queue of a link in shadow mode.
const (
	shadowCalls   = 64
	shadowBytes   = 16 << 20
	shadowWorkers = 2
)

// Observed is what a receiver in shadow said of some texts of an exchange, after
// the exchange had gone on without it.
type Observed struct {
	Link, Exchange string
	Phase          core.Phase
	Action         webhook.Action // "": the call failed
	Labels         []string       // of the findings, sorted, each once
	Fault          error
	// Dropped is how many calls were left out since the last Observed, because
	// the receiver could not keep up.
	Dropped int64
}

// shadow sends copies to a receiver whose verdict changes nothing, so that no
// exchange waits for it.
type shadow struct {
	s       *Stage
	note    func(Observed)
	calls   chan copied
	bytes   atomic.Int64
	dropped atomic.Int64
	ctx     context.Context // it ends what the workers do
	cancel  context.CancelFunc
	workers sync.WaitGroup
}

// copied is one call that waits. It holds nothing of the exchange.
type copied struct {
	exchange string
	phase    core.Phase
	body     []byte
	texts    []string
}

func newShadow(s *Stage, note func(Observed)) *shadow {
	ctx, cancel := context.WithCancel(context.Background())
	h := &shadow{s: s, note: note, calls: make(chan copied, shadowCalls), ctx: ctx, cancel: cancel}
	for range min(shadowWorkers, s.o.Calls) {
		h.workers.Go(h.work)
	}
	return h
}

// send takes a copy of some parts, or drops them when too much waits already.
func (h *shadow) send(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	pieces, texts, size := make([]piece, len(parts)), make([]string, len(parts)), int64(0)
	for i := range parts {
		pieces[i] = parts[i].piece
		size += int64(len(pieces[i].text))
	}
	if h.bytes.Add(2*size) > shadowBytes {
		h.bytes.Add(-2 * size)
		h.dropped.Add(1)
		return
	}
	for i := range pieces {
		texts[i] = strings.Clone(pieces[i].text)
	}
	select {
	case h.calls <- copied{strings.Clone(x.ID), p, h.s.body(x, p, stream, pieces), texts}:
	default:
		h.bytes.Add(-2 * size)
		h.dropped.Add(1)
	}
}

func (h *shadow) work() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case c := <-h.calls:
			h.ask(c)
		}
	}
}

func (h *shadow) ask(c copied) {
	ctx, cancel := context.WithTimeout(h.ctx, h.s.o.Timeout)
	defer cancel()
	o := Observed{Link: h.s.o.Link, Exchange: c.exchange, Phase: c.phase}
	v, err := h.s.ask(ctx, h.ctx, "", c.body, c.texts)
	for _, t := range c.texts {
		h.bytes.Add(-2 * int64(len(t)))
	}
	if h.ctx.Err() != nil {
		return // the link is being closed
	}
	if o.Fault = err; err == nil {
		o.Action = v.action
		for _, spans := range v.spans {
			for _, s := range spans {
				o.Labels = append(o.Labels, s.label)
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
