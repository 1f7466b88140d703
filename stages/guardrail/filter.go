package guardrail

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
)

// Stream opens a filter for a streamed answer, if a detector looks at answers.
func (s *Stage) Stream(_ context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	if !isPeer(x) && !slices.ContainsFunc(s.engine.guards, func(g *guard) bool { return g.phases.Has(core.Response) }) {
		return nil, nil
	}
	return &filter{s: s, x: x, w: s.acquireWork(kept), whole: s.whole || isPeer(x) && s.peerWhole}, nil
}

// filter judges an answer while it arrives, window by window. While text is held the
// chain keeps it; else the filter has a copy of the window at hand.
type filter struct {
	s     *Stage
	x     *core.Exchange
	w     *work
	whole bool // a guard must see whole parts
	parts []part
}

// part is where the filter is in one run of text.
type part struct {
	core.Part
	begun bool   // the first window was judged
	text  []byte // the window at hand, when nothing is held
	runes int    // characters after the beginning of the window
	tally tally
	said  uint64 // the lengths that were exceeded already
}

var _ core.LateFinder = (*filter)(nil)

// FindsLate reports whether nothing is held back.
func (f *filter) FindsLate() bool { return !f.s.hold }

// maxUnheld bounds what is remembered of an answer that is not held and yet must be
// judged as a whole.
const maxUnheld = 1 << 20

var errUnheld = errors.New("an answer to be judged as a whole is longer than 1 MiB")

// Check judges the windows that are complete.
func (f *filter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	s, p := f.s, f.findPart(w.Part)
	f.w.pace.reset(ctx)
	f.w.findings, f.w.edits, f.w.blocked, f.w.spans = f.w.findings[:0], f.w.edits[:0], nil, f.w.spans[:0]
	fresh := w.Text[w.New:]
	p.runes += utf8.RuneCountInString(fresh)
	f.measureLengths(p, fresh, w.Last)
	complete := w.Last || !f.whole && p.runes > s.cut.window
	text, base := w.Text[w.Sent:], w.Sent
	if !s.hold {
		p.text = append(p.text, fresh...)
		if text, base = "", len(w.Text)-len(p.text); complete { // a copy for each delta would cost the square of the text
			text = string(p.text)
		}
		if len(p.text) > maxUnheld {
			return core.Verdict{}, 0, errUnheld
		}
	}
	at := 0
	if complete {
		at = f.judge(p, text, base, w)
	}
	if err := f.w.pace.checkPace(); err != nil {
		return core.Verdict{}, 0, err
	}
	for _, sp := range f.w.mergeSpans() {
		f.w.edits = append(f.w.edits, core.Edit{Start: sp.start, End: sp.end, With: sp.with})
	}
	hold := len(text) - at
	if !s.hold {
		if hold = 0; complete {
			p.text = append(p.text[:0], text[at:]...)
		}
	}
	if w.Last {
		f.forget(w.Part)
	}
	return f.w.buildVerdict(core.Response), hold, nil
}

// judge looks at all windows of text that are complete and gives where the next one
// begins. base is where text begins in w.Text.
func (f *filter) judge(p *part, text string, base int, w core.Window) int {
	c := check{x: f.x, w: f.w, phase: core.Response, first: !p.begun, tool: isPeer(f.x), peer: f.isForRequests(p)}
	note := func(g *guard, start, end int, fd *finding) {
		f.w.note(
			g,
			core.Finding{Label: fd.label, Kind: core.FoundDetector, Segment: -1, Start: max(0, base+start), End: max(0, base+end), Score: fd.score},
		)
	}
	if f.whole {
		f.s.engine.judgeWholeAnswer(&c, text, false, note)
	}
	at := 0
	for {
		next, done := f.s.scanWindow(&c, text[at:], !p.begun, w.Last, func(g *guard, fd finding) {
			note(g, at+fd.start, at+fd.end, &fd)
			f.w.addSpan(g, base+at+fd.start, base+at+fd.end)
		})
		if done {
			return len(text)
		}
		if next < 0 {
			p.runes = utf8.RuneCountInString(text[at:])
			return at
		}
		p.begun = true
		at += next
	}
}

// isForRequests reports whether guards of requests judge a part, as they judge the same text in a whole answer of a peer.
func (f *filter) isForRequests(p *part) bool {
	return isPeer(f.x) && f.s.roles.has(&core.Segment{Kind: p.Kind, Role: core.RoleTool})
}

// measureLengths counts a part's text for the guards that bound it.
func (f *filter) measureLengths(p *part, fresh string, last bool) {
	counted := false
	for _, g := range f.s.engine.guards {
		if g.counter == nil || !g.phases.Has(core.Response) && !f.isForRequests(p) {
			continue
		}
		if !counted {
			p.tally.add(fresh)
			counted = true
		}
		n := p.tally.count(g.counter.unit)
		if bit := uint64(1) << (g.number & 63); p.said&bit == 0 && (g.counter.isTooLong(n) || last && n < g.counter.min) && g.threshold <= 1 {
			p.said |= bit
			f.w.note(g, core.Finding{Label: g.name, Kind: core.FoundDetector, Segment: -1, Score: 1})
		}
	}
}

func (f *filter) findPart(p core.Part) *part {
	for i := range f.parts {
		if f.parts[i].Part == p {
			return &f.parts[i]
		}
	}
	f.parts = append(f.parts, part{Part: p})
	return &f.parts[len(f.parts)-1]
}

func (f *filter) forget(p core.Part) {
	f.parts = slices.DeleteFunc(f.parts, func(q part) bool { return q.Part == p })
}

// Close has nothing to release.
func (f *filter) Close(context.Context) error { return nil }
