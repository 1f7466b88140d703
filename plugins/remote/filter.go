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

// filter judges a streamed answer window by window. Text waits for the verdict
// on the last window that shows it.
type filter struct {
	s    *Stage
	x    *core.Exchange
	runs []*progress
	err  error // the first failure that a link which fails open went over
}

var _ core.StreamFilter = (*filter)(nil)

// progress is how far one run of text has come. Offsets count from the beginning
// of the run, of which buf holds the bytes from base on.
type progress struct {
	part   core.Part
	buf    []byte
	base   int
	start  int // where the next window begins
	judged int // where the last one ended
	runes  int // in the text from start on
	sent   int
	text   text
}

// view is the text that is held, without a copy. It is good until buf grows.
func (p *progress) view() string { return zerocopy.String(p.buf) }

// Check takes new text, and asks the receiver about the windows that it fills.
func (f *filter) Check(parent context.Context, w core.Window) (core.Verdict, int, error) {
	p := f.progress(w.Part)
	p.buf = append(p.buf, w.Text[w.New:]...)
	p.runes += utf8.RuneCountInString(w.Text[w.New:])
	end := p.base + len(p.buf)
	if !w.Last && p.runes < f.s.answer.size {
		if f.s.silent() { // nothing waits for its verdict
			p.sent = end
		}
		return core.Verdict{Action: core.Pass}, end - p.sent, nil
	}
	if w.Last {
		f.runs = slices.DeleteFunc(f.runs, func(q *progress) bool { return q == p })
	}
	v, err := f.advance(parent, p, w.Last)
	if err != nil {
		if parent.Err() != nil || !f.s.o.FailOpen {
			return core.Verdict{}, 0, err
		}
		if f.err == nil {
			f.err = err
		}
	}
	if v.Action == Block {
		return f.s.block(core.Response, v, p.findings(p.text.settler.open, len(w.Text)-end)), 0, nil
	}
	next := p.start
	if w.Last {
		next = end
	}
	if f.s.silent() {
		next = end
	}
	done, known, err := p.text.settler.settle(next)
	if err != nil {
		return core.Verdict{}, 0, f.s.fault(core.FaultVerdict, err.Error())
	}
	shift := len(w.Text) - end
	out := core.Verdict{Action: core.Pass, Findings: p.findings(done, shift)}
	for _, d := range done {
		if d.redact {
			out.Action = core.Rewrite
			out.Edits = append(out.Edits, d.edit(0, d.Start+shift, d.End+shift))
		}
	}
	p.sent = known
	p.forget()
	return out, end - known, nil
}

// advance judges the windows that are full, and all that is left when last is
// set. After a failure the windows count as judged.
func (f *filter) advance(parent context.Context, p *progress, last bool) (v Verdict, err error) {
	all := p.view()
	var parts []part
	for p.judged < p.base+len(all) {
		at := p.start - p.base
		end, ok := f.s.answer.end(all, at, last)
		if !ok {
			break
		}
		parts = append(parts, part{Piece: Piece{core.RoleAssistant, p.part.Kind, "", all[at:end], p.start > 0}, text: &p.text, at: p.start})
		p.judged = p.base + end
		p.start = p.base + f.s.answer.nextStart(all, at, end)
	}
	p.runes = utf8.RuneCountInString(all[p.start-p.base:])
	if f.s.silent() {
		f.s.watch(f.x, core.Response, true, parts)
		return v, nil
	}
	if len(parts) == 0 {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(parent, f.s.o.Timeout)
	defer cancel()
	for len(parts) > 0 && v.Action != Block {
		n := f.s.batch(parts)
		if v, err = f.s.judge(ctx, parent, f.x, core.Response, true, parts[:n]); err != nil {
			return v, err
		}
		parts = parts[n:]
	}
	return v, nil
}

// progress finds a run by the part that it belongs to.
func (f *filter) progress(q core.Part) *progress {
	for _, p := range f.runs {
		if p.part == q {
			return p
		}
	}
	p := &progress{part: q}
	f.runs = append(f.runs, p)
	return p
}

// findings describes what was found, at its place in the window: shift bytes before
// its place in the run. What has left the window is nowhere.
func (p *progress) findings(all []found, shift int) (out []core.Finding) {
	for _, f := range all {
		start, end := max(0, f.Start+shift), max(0, f.End+shift)
		out = append(out, core.Finding{Label: f.Label, Segment: -1, Start: start, End: end, Score: f.Score})
	}
	return out
}

// forget drops text that no window will show again, now and then.
func (p *progress) forget() {
	if n := min(p.start, p.sent) - p.base; n >= 4<<10 {
		p.buf = p.buf[:copy(p.buf, p.buf[n:])]
		p.base += n
	}
}

// Close tells of a failure that was gone over.
func (f *filter) Close(context.Context) error { return f.err }
