package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// panel are receivers that are asked side by side about the same texts. Each keeps
// its own timeout, breaker, slots and fail mode.
type panel struct {
	ask   []*Stage // in order: where several block, the first one's word is given
	watch []*Stage // in shadow: they get copies, and nobody waits
	most  time.Duration
	note  func(Observed)
}

// newPanel combines receivers into one stage. It does not own them.
func newPanel(link string, members []*Stage, note func(Observed)) *Stage {
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
		o: o, panel: p, slots: remote.NewSlots(1),
		whole: windows{requestWindow, o.Settings.Overlap}, answer: windows{o.Settings.Window, o.Settings.Overlap},
	}
}

// judge asks all about some parts, and joins what they say: each finding is kept,
// and what any of them takes out is taken out. The failure of one that fails open is
// told, and counts as if it had found nothing; that of another is the panel's.
func (q *panel) judge(
	ctx, parent context.Context,
	x *core.Exchange,
	p core.Phase,
	stream bool,
	parts []part,
	texts []string,
) (verdict, error) {
	q.show(x, p, stream, parts)
	pieces := make([]piece, len(parts))
	for i := range parts {
		pieces[i] = parts[i].piece
	}
	began := time.Now()
	if end, ok := ctx.Deadline(); ok { // that of the whole Check, which lasts as long as the most patient may take
		began = end.Add(-q.most)
	}
	verdicts, faults := make([]verdict, len(q.ask)), make([]error, len(q.ask))
	var asked sync.WaitGroup
	key := keyOf(x)
	for i, m := range q.ask {
		body := m.body(x, p, stream, pieces) // here: x may be read by one goroutine alone
		asked.Go(func() {
			ctx, cancel := context.WithDeadline(ctx, began.Add(m.o.Timeout))
			defer cancel()
			verdicts[i], faults[i] = m.ask(ctx, parent, key, body, texts)
		})
	}
	asked.Wait()
	for i, m := range q.ask {
		switch {
		case faults[i] == nil:
		case parent.Err() != nil || !m.o.FailOpen:
			return verdict{}, faults[i]
		case q.note != nil:
			q.note(Observed{Link: m.o.Link, Exchange: x.ID, Phase: p, Fault: faults[i]})
		}
	}
	var blocked *verdict
	for i, m := range q.ask {
		v := &verdicts[i]
		if faults[i] != nil {
			continue
		}
		for k, spans := range v.spans {
			parts[k].text.settler.add(texts[k], parts[k].at, spans, v.action == webhook.Redact)
		}
		if v.action == webhook.Block && blocked == nil {
			v.by, blocked = m.o.Link, v
		}
	}
	if blocked != nil {
		return *blocked, nil
	}
	return verdict{action: webhook.Pass}, nil
}

// show sends copies to those in shadow.
func (q *panel) show(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	for _, m := range q.watch {
		m.shadow.send(x, p, stream, parts)
	}
}
