package remote

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Stream opens a filter for one answer.
func (s *Stage) Stream(_ context.Context, x *core.Exchange, _ any) (core.StreamFilter, error) {
	return &filter{s: s, x: x}, nil
}

// filter judges a streamed answer window by window. Text is held back until there is a verdict on the last window that
// contains it.
type filter struct {
	s    *Stage
	x    *core.Exchange
	runs []*progress
	err  error // the first failure that a link which fails open has passed over
}

var _ core.StreamFilter = (*filter)(nil)

// progress is the state of one run of text. Offsets count from the beginning of the run; buf holds its bytes from base
// on.
type progress struct {
	part   core.Part
	buf    []byte
	base   int
	start  int // of the next window
	judged int // the end of the last window
	runes  int // characters from start on
	sent   int
	text   text
}

// viewText returns the buffered text without copying it. It is valid until buf grows.
func (p *progress) viewText() string { return zerocopy.String(p.buf) }

// Check takes new text, and sends the windows that are now full to the receiver.
func (f *filter) Check(parent context.Context, w core.Window) (core.Verdict, int, error) {
	p := f.findProgress(w.Part)
	p.buf = append(p.buf, w.Text[w.New:]...)
	p.runes += utf8.RuneCountInString(w.Text[w.New:])
	end := p.base + len(p.buf)
	if !w.Last && p.runes < f.s.answer.size {
		if f.s.isSilent() { // no verdict is needed
			p.sent = end
		}
		return core.Verdict{Action: core.Pass}, end - p.sent, nil
	}
	if w.Last {
		f.runs = slices.DeleteFunc(f.runs, func(q *progress) bool { return q == p })
	}
	v, err := f.judgeWindows(parent, p, w.Last)
	if err != nil {
		if parent.Err() != nil || !f.s.o.FailOpen {
			return core.Verdict{}, 0, err
		}
		if f.err == nil {
			f.err = err
		}
	}
	if v.Action == Block {
		return f.s.block(core.Response, v, p.buildFindings(p.text.settler.open, len(w.Text)-end)), 0, nil
	}
	next := p.start
	if w.Last {
		next = end
	}
	if f.s.isSilent() {
		next = end
	}
	done, known, err := p.text.settler.settle(next)
	if err != nil {
		return core.Verdict{}, 0, f.s.newFault(core.FaultVerdict, err.Error())
	}
	shift := len(w.Text) - end
	out := core.Verdict{Action: core.Pass, Findings: p.buildFindings(done, shift)}
	for _, d := range done {
		if d.redact {
			out.Action = core.Rewrite
			out.Edits = append(out.Edits, d.buildEdit(0, d.Start+shift, d.End+shift))
		}
	}
	p.sent = known
	p.trimText()
	return out, end - known, nil
}

// judgeWindows judges the windows that are full, and also the rest if last is set. After a failure, the windows count as
// judged.
func (f *filter) judgeWindows(parent context.Context, p *progress, last bool) (v Verdict, err error) {
	all := p.viewText()
	var parts []part
	for p.judged < p.base+len(all) {
		at := p.start - p.base
		end, ok := f.s.answer.findEnd(all, at, last)
		if !ok {
			break
		}
		parts = append(parts, part{Piece: Piece{core.RoleAssistant, p.part.Kind, "", all[at:end], p.start > 0}, text: &p.text, at: p.start})
		p.judged = p.base + end
		p.start = p.base + f.s.answer.findNextStart(all, at, end)
	}
	p.runes = utf8.RuneCountInString(all[p.start-p.base:])
	ctx, cancel := context.WithTimeout(parent, f.s.o.Timeout)
	defer cancel()
	parts = f.s.keepDoubtful(ctx, parts)
	if f.s.isSilent() {
		f.s.sendShadow(f.x, core.Response, true, parts)
		return v, nil
	}
	if len(parts) == 0 {
		return v, nil
	}
	for len(parts) > 0 && v.Action != Block {
		n := f.s.countBatch(parts)
		if v, err = f.s.judge(ctx, parent, f.x, core.Response, true, parts[:n]); err != nil {
			return v, err
		}
		parts = parts[n:]
	}
	return v, nil
}

// findProgress returns the state of the run that a part belongs to.
func (f *filter) findProgress(q core.Part) *progress {
	for _, p := range f.runs {
		if p.part == q {
			return p
		}
	}
	p := &progress{part: q}
	f.runs = append(f.runs, p)
	return p
}

// buildFindings returns the findings with their positions in the window. shift is the number of bytes between a position in
// the window and in the run. A finding whose text has left the window gets no position.
func (p *progress) buildFindings(all []found, shift int) (out []core.Finding) {
	for _, f := range all {
		start, end := max(0, f.Start+shift), max(0, f.End+shift)
		out = append(out, core.Finding{Label: f.Label, Segment: -1, Start: start, End: end, Score: f.Score})
	}
	return out
}

// trimText drops text that no later window contains, from time to time.
func (p *progress) trimText() {
	if n := min(p.start, p.sent) - p.base; n >= 4<<10 {
		p.buf = p.buf[:copy(p.buf, p.buf[n:])]
		p.base += n
	}
}

// Close returns the failure that was passed over, if any.
func (f *filter) Close(context.Context) error { return f.err }
