package chain

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// feed runs new text of a part through the links. It returns the text that every link has cleared; same means that it
// equals the input. The result is valid until the next call.
func (s *Stream) feed(ctx context.Context, q *part, text string, last bool) (out []byte, same bool, e *core.Error) {
	q.updateState(last)
	in, same := zerocopy.ViewBytes(text), true
	if q.moved != nil {
		q.moved.received = q.moved.received.Add(offset.Measure(in))
	}
	s.moving, s.late = append(s.moving[:0], s.late...), s.late[:0]
	s.carried = s.carried[:0]
	for k := range s.links {
		l := &s.links[k]
		if l.state.isShadow() {
			continue
		}
		if len(in) == 0 && !last {
			q.bufs[k].addTracked(s.moving, len(q.bufs[k].text))
			s.moving = s.moving[:0]
			if b := &q.bufs[k]; b.sent < len(b.text) {
				b.addMarks(s.carried, len(b.text))
				s.carried = s.carried[:0]
			}
			continue
		}
		cleared, unchanged, e := s.runFilter(ctx, l, q, &q.bufs[k], in, last)
		if e != nil {
			return nil, false, e
		}
		if !unchanged {
			in, same = cleared, false
		}
	}
	s.passTracked()
	s.landed = append(s.landed, s.carried...)
	for k := range s.links {
		if l := &s.links[k]; l.state == watching {
			_, _, _ = s.runFilter(ctx, l, q, &q.bufs[k], zerocopy.ViewBytes(text), last)
		}
	}
	return in, same, nil
}

// runFilter shows one link the text and returns what the link clears.
func (s *Stream) runFilter(
	ctx context.Context,
	l *streamLink,
	q *part,
	b *tail,
	in []byte,
	last bool,
) (out []byte, same bool, e *core.Error) {
	if l.state == passing {
		b.addTracked(s.moving, len(b.text))
		s.moving = b.releaseTracked(s.moving[:0], nil, len(b.text)+len(in))
		b.addMarks(s.carried, len(b.text))
		s.carried = b.releaseMarks(s.carried[:0], nil, len(b.text)+len(in))
		if b.sent == len(b.text) {
			return in, true, nil
		}
		// The link failed over another part, and still held text of this one.
		out = append(append(b.out[:0], b.text[b.sent:]...), in...)
		b.text, b.sent, b.out = b.text[:0], 0, out
		return out, false, nil
	}
	fresh := b.sent == len(b.text)
	from := len(b.text)
	b.text = append(b.text, in...)
	if l.state == judging {
		b.addMarks(s.carried, from)
		s.carried = s.carried[:0]
	}
	w := core.Window{Part: q.Part, Text: zerocopy.String(b.text), Sent: b.sent, New: from, Last: last}
	follows := s.informing && l.state == judging
	if follows {
		b.addTracked(s.moving, from)
		s.shown = b.appendShown(s.shown[:0])
		w.Found = s.shown
	}
	began := s.clock // what a link takes begins where the one before it has ended: one look at the clock each
	v, hold, fault, err := callFilter(meterCPU(ctx, &s.c.links[l.i], len(w.Text), began), l.filter, w)
	if fault == 0 && v.Action == core.Rewrite && l.state == judging {
		if err = s.prepareEdits(ctx, b, w, hold, v.Edits); err != nil {
			fault = core.FindFault(err)
		}
	}
	s.clock = core.MeasureUptime()
	l.spent += s.clock - began
	for i := range v.Findings {
		v.Findings[i].Segment = -1
	}
	addFindings(s.x, &s.c.links[l.i], core.Response, v.Findings)
	if follows {
		s.trackFindings(l, b, v.Findings)
	}
	if fault != 0 {
		if e = s.applyFaultRule(ctx, l, fault, err); e != nil {
			return nil, false, e
		}
		if follows {
			s.moving = b.releaseTracked(s.moving[:0], nil, len(b.text))
		}
		s.carried = b.releaseMarks(s.carried, nil, len(b.text))
		held := b.text[b.sent:]
		b.text, b.sent = b.text[:0], 0
		if fresh { // nothing was held: the text passes as it came
			return in, true, nil
		}
		return held, false, nil
	}
	if v.Keep != nil {
		s.r.kept[l.i] = v.Keep
	}
	if l.state == judging {
		s.x.Header = append(s.x.Header, v.Header...)
	}
	switch v.Action {
	case core.Block, core.Retry:
		l.action = v.Action
		if l.state == watching {
			l.state = retired
			return in, true, nil
		}
		d := newObjection(&s.c.links[l.i], &v)
		if d.Action == core.Retry {
			s.again = &d
		}
		return nil, false, d.Err
	case core.Rewrite:
		l.action = core.Rewrite
	}
	clear := len(b.text) - hold
	if l.state == watching { // its edits of the text are not used
		b.sent = clear
		b.trim()
		return in, true, nil
	}
	var edits []core.Edit
	if v.Action == core.Rewrite {
		edits = s.r.edits
		s.edited = s.edited || len(edits) > 0
	}
	if follows {
		s.moving = b.releaseTracked(s.moving[:0], edits, clear)
	}
	s.carried = b.releaseMarks(s.carried, edits, clear)
	b.moved.note(b.text, b.sent, clear, edits)
	out = b.out[:0]
	if len(edits) > 0 {
		at := b.sent
		for i := range edits {
			ed := &edits[i]
			out = append(append(out, b.text[at:ed.Start]...), ed.With...)
			at = ed.End
		}
		out = append(out, b.text[at:clear]...)
	} else {
		if fresh && hold == 0 {
			b.sent = clear
			b.trim()
			return in, true, nil
		}
		out = append(out, b.text[b.sent:clear]...)
	}
	b.out, b.sent = out, clear
	b.trim()
	return out, false, nil
}

var (
	errHold  = badEdit{errors.New("the filter holds back text that it must not hold back")}
	errPlace = badEdit{errors.New("an edit lies outside the text that can still be changed")}
)

// callFilter calls a filter and checks that its verdict is one.
func callFilter(ctx context.Context, f core.StreamFilter, w core.Window) (v core.Verdict, hold int, fault core.Fault, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, hold, fault, err = core.Verdict{}, 0, core.FaultPanic, describePanic(r)
		}
	}()
	if v, hold, err = f.Check(ctx, w); err != nil {
		return core.Verdict{Findings: v.Findings}, 0, core.FindFault(err), err
	}
	clear := len(w.Text) - hold
	switch {
	case v.Action == core.Answer || checkVerdict(&v) != nil:
		return core.Verdict{Findings: v.Findings}, 0, core.FaultVerdict, errVerdict
	case hold < 0 || clear < w.Sent || hold > readMaxHeld(f) || w.Last && hold > 0:
		return core.Verdict{Findings: v.Findings}, 0, core.FaultVerdict, errHold
	case clear < len(w.Text) && !utf8.RuneStart(w.Text[clear]):
		return core.Verdict{Findings: v.Findings}, 0, core.FaultVerdict, errHold
	}
	return v, hold, 0, nil
}

// readMaxHeld returns how much a filter may hold back. One that has the whole answer wait
// may hold whole texts of it.
func readMaxHeld(f core.StreamFilter) int {
	if w, ok := f.(core.Withholder); ok && w.Withholds() {
		return maxWithheld
	}
	return maxHold
}

// prepareEdits sorts a filter's edits into s.r.edits and mints their placeholders.
func (s *Stream) prepareEdits(ctx context.Context, b *tail, w core.Window, hold int, edits []core.Edit) error {
	s.r.edits = append(s.r.edits[:0], edits...)
	slices.SortStableFunc(s.r.edits, compareEdits) // all are of segment 0
	at, clear := b.sent, len(w.Text)-hold
	for i := range s.r.edits {
		e := &s.r.edits[i]
		if e.Start < at || e.End < e.Start || e.End > clear || !isBoundary(w.Text, e.Start) || !isBoundary(w.Text, e.End) {
			return errPlace
		}
		at = e.End
		if e.Type == "" {
			continue
		}
		value := string(b.text[e.Start:e.End]) // the window's text moves on
		with, err := s.c.mint(ctx, s.x, core.Response, e.Type, value)
		if err != nil {
			return err
		}
		e.With = with
	}
	return nil
}

// passTracked hands what the last link of this part leaves to the part in front of the tap.
// That one reads events again, and nothing has a known place in them.
func (s *Stream) passTracked() {
	if next := s.getFrontPart(); next != nil {
		for _, f := range s.moving {
			f.place = unknown
			next.late = append(next.late, f)
		}
	}
	s.moving = s.moving[:0]
}

// trackFindings keeps what the link itself has found in its window.
func (s *Stream) trackFindings(l *streamLink, b *tail, list []core.Finding) {
	for _, f := range list {
		s.ids++
		f.Link, f.Phase, f.Segment = s.c.links[l.i].Name, core.Response, -1
		place := unknown
		if b.sent <= f.Start && f.Start < f.End && f.End <= len(b.text) {
			place = placed
		}
		b.tracked = append(b.tracked, trackedFinding{Finding: f, id: s.ids, place: place})
	}
}

// maxHold bounds what one link may hold back. A filter that wants more has
// failed: without a bound a stream could be swallowed whole.
const maxHold = 64 << 10

// maxWithheld bounds what a Withholder may hold back of one text.
const maxWithheld = 8 << 20
