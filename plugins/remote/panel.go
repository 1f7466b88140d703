package remote

import (
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// panel is a set of receivers that judge the same texts concurrently. Each has its own timeout, breaker, slots and fail
// mode.
type panel struct {
	ask   []*Stage // in order: if several block, the message of the first is used
	watch []*Stage // in shadow mode: they get copies, and their verdicts are not awaited
	most  time.Duration
	note  func(Observed)
}

// NewPanel combines guards into one stage, which asks them concurrently. It does not own them.
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

// judge asks all guards about some parts and joins their verdicts: every finding is kept, and every redaction is
// applied. If a guard that fails open fails, the failure is reported and counts as no findings; if another one fails,
// the whole panel fails.
func (q *panel) judge(ctx, parent context.Context, x *core.Exchange, p core.Phase, stream bool, parts []part) (Verdict, error) {
	q.sendShadow(x, p, stream, parts)
	asked := listPieces(parts)
	began := time.Now()
	if end, ok := ctx.Deadline(); ok { // of the whole Check, which may last as long as the longest timeout of a member
		began = end.Add(-q.most)
	}
	verdicts, faults := make([]Verdict, len(q.ask)), make([]error, len(q.ask))
	var all sync.WaitGroup
	key := formatKey(x)
	for i, m := range q.ask {
		question := m.buildQuestion(x, p, stream, asked) // here, because only one goroutine may read x
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

// sendShadow sends copies to the guards in shadow mode.
func (q *panel) sendShadow(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	for _, m := range q.watch {
		m.shadow.send(x, p, stream, parts)
	}
}
