package remote

import (
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// panel are receivers that are asked side by side about the same texts. Each keeps
// its own timeout, breaker, slots and fail mode.
type panel struct {
	ask   []*Stage // in order: where several block, the first one's word is given
	watch []*Stage // in shadow: they get copies, and nobody waits
	most  time.Duration
	note  func(Observed)
}

// NewPanel combines guards into one stage, which asks them side by side. It does not own them.
func NewPanel(link string, members []*Stage, note func(Observed)) *Stage {
	p := &panel{most: time.Millisecond, note: note}
	for _, m := range members {
		if m.shadow != nil {
			p.watch = append(p.watch, m)
			continue
		}
		p.ask, p.most = append(p.ask, m), max(p.most, m.o.Timeout)
	}
	o := Options{Link: link, Timeout: p.most}
	o.fill()
	return &Stage{
		o: o, panel: p, slots: NewSlots(1),
		whole: windows{o.RequestWindow, o.Overlap}, answer: windows{o.Window, o.Overlap},
	}
}

// judge asks all about some parts, and joins what they say: each finding is kept,
// and what any of them takes out is taken out. The failure of one that fails open is
// told, and counts as if it had found nothing; that of another is the panel's.
func (q *panel) judge(ctx, parent context.Context, x *core.Exchange, p core.Phase, stream bool, parts []part) (Verdict, error) {
	q.show(x, p, stream, parts)
	asked := pieces(parts)
	began := time.Now()
	if end, ok := ctx.Deadline(); ok { // that of the whole Check, which lasts as long as the most patient may take
		began = end.Add(-q.most)
	}
	verdicts, faults := make([]Verdict, len(q.ask)), make([]error, len(q.ask))
	var all sync.WaitGroup
	key := keyOf(x)
	for i, m := range q.ask {
		question := m.question(x, p, stream, asked) // here: x may be read by one goroutine alone
		all.Go(func() {
			ctx, cancel := context.WithDeadline(ctx, began.Add(m.o.Timeout))
			defer cancel()
			verdicts[i], faults[i] = m.ask(ctx, parent, key, question)
		})
	}
	all.Wait()
	for i, m := range q.ask {
		switch {
		case faults[i] == nil:
		case parent.Err() != nil || !m.o.FailOpen:
			return Verdict{}, faults[i]
		case q.note != nil:
			q.note(Observed{Link: m.o.Link, Exchange: x.ID, Phase: p, Fault: faults[i]})
		}
	}
	var blocked *Verdict
	for i, m := range q.ask {
		v := &verdicts[i]
		if faults[i] != nil {
			continue
		}
		for k, spans := range v.Spans {
			parts[k].text.settler.add(parts[k].Text, parts[k].at, spans, v.Action == Redact)
		}
		if v.Action == Block && blocked == nil {
			v.By, blocked = m.o.Link, v
		}
	}
	if blocked != nil {
		return *blocked, nil
	}
	return Verdict{Action: Pass}, nil
}

// show sends copies to those in shadow.
func (q *panel) show(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	for _, m := range q.watch {
		m.shadow.send(x, p, stream, parts)
	}
}
