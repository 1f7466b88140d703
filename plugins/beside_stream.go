package plugins

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

var errNoStream = errors.New("the stage cannot inspect streamed answers")

// Stream opens a filter of the serving version, and one of the candidate beside it.
func (s *besideStage) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	st, ok := s.live.(core.StreamStage)
	if !ok {
		return nil, errNoStream
	}
	k := unwrapKept(kept)
	live, err := st.Stream(ctx, x, k.live)
	if err != nil || live == nil || !s.t.isRunning() {
		return live, err // the error of the serving stage
	}
	candidate, ok := s.next.(core.StreamStage)
	if !ok {
		s.t.countFault(core.FaultError)
		return live, nil
	}
	next, err := recoverPanic(func() (core.StreamFilter, error) { return candidate.Stream(ctx, x, k.next) })
	if err != nil {
		s.t.countFailure(ctx, err, nil)
		return live, nil
	}
	if next == nil { // the candidate does not inspect the answer, but the serving version does
		s.t.countComparison(DiffersAction)
		return live, nil
	}
	return &besideFilter{live: live, next: next, t: s.t, kept: k}, nil
}

// besideFilter shows the text of an answer to two filters. Each has separate windows, because they may hold back
// different lengths. Their results are compared when a part ends.
type besideFilter struct {
	live, next core.StreamFilter
	t          *trial
	parts      []*besidePart
	kept       versionStates
	off        bool // the candidate is not called again in this answer
}

var (
	_ core.Withholder     = (*besideFilter)(nil)
	_ core.Ender          = (*besideFilter)(nil)
	_ core.LateFinder     = (*besideFilter)(nil)
	_ core.FindingsReader = (*besideFilter)(nil)
)

// Check asks both filters about new text.
func (f *besideFilter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	began := time.Now()
	v, hold, err := f.live.Check(ctx, w)
	if f.off || !f.t.isRunning() {
		f.storeKept(&v, nil)
		return v, hold, err // the error of the serving filter
	}
	p := f.findPart(w.Part)
	p.took += time.Since(began)
	fresh := w.Text[w.New:]
	if err != nil {
		f.off = true
		f.t.skipped.Add(1)
		return v, hold, err // the error of the serving filter
	}
	p.live.add(&v, p.seen-w.New)
	// An answer that ends here ends for both: the candidate must decide about the text that it holds back.
	last := w.Last || v.Action == core.Block
	var next any
	if !p.next.blocked {
		next = f.checkCandidate(ctx, p, fresh, w, last)
	}
	f.storeKept(&v, next)
	p.seen += len(fresh)
	if last && !f.off {
		f.compare(p)
	}
	return v, hold, nil
}

// storeKept takes what the two versions keep, and stores it as one value for the exchange.
func (f *besideFilter) storeKept(v *core.Verdict, next any) {
	if v.Keep == nil && next == nil {
		return
	}
	if v.Keep != nil {
		f.kept.live = v.Keep
	}
	if next != nil {
		f.kept.next = next
	}
	v.Keep = f.kept
}

// checkCandidate passes the candidate its own window, and returns what it keeps for the exchange.
func (f *besideFilter) checkCandidate(ctx context.Context, p *besidePart, fresh string, w core.Window, last bool) any {
	own := core.Window{Part: w.Part, Sent: p.sent, New: len(p.text), Last: last}
	own.Found = moveFindings(w.Found, own.New-w.New)
	p.text = append(p.text, fresh...)
	own.Text = zerocopy.String(p.text) // does not change before Check returns
	began := time.Now()
	type judged struct {
		v    core.Verdict
		hold int
	}
	j, err := recoverPanic(func() (judged, error) {
		v, hold, err := f.next.Check(ctx, own)
		return judged{v, hold}, err
	})
	p.cost += time.Since(began)
	if err == nil && (j.hold < 0 || j.hold > len(own.Text)-own.Sent || last && j.hold > 0) {
		err = errHold
	}
	if err != nil {
		f.off = true
		f.t.countFailure(ctx, err, nil)
		return j.v.Keep
	}
	p.next.add(&j.v, p.seen-own.New)
	p.advanceWindow(len(own.Text)-j.hold, j.v.Edits)
	return j.v.Keep
}

// moveFindings returns findings with offsets in another window on the same text.
func moveFindings(found []core.Finding, by int) []core.Finding {
	out := slices.Clone(found)
	for i := range out {
		out[i].Start, out[i].End = out[i].Start+by, out[i].End+by
	}
	return out
}

var errHold = errors.New("holds back more text than there is")

func (f *besideFilter) findPart(at core.Part) *besidePart {
	for _, p := range f.parts {
		if p.part == at {
			return p
		}
	}
	p := &besidePart{part: at}
	f.parts = append(f.parts, p)
	return p
}

// compare compares the results when a part ends.
func (f *besideFilter) compare(p *besidePart) {
	f.parts = slices.DeleteFunc(f.parts, func(q *besidePart) bool { return q == p })
	f.t.addSpent(p.took, p.cost)
	f.t.countFindings(p.live.findings, p.next.findings)
	f.t.countComparison(p.live.describeDifference(&p.next))
}

// Withholds reports whether the serving version wants the whole answer before any of it is sent.
func (f *besideFilter) Withholds() bool {
	w, ok := f.live.(core.Withholder)
	return ok && w.Withholds()
}

// FindsLate returns the answer of the serving version.
func (f *besideFilter) FindsLate() bool {
	l, ok := f.live.(core.LateFinder)
	return ok && l.FindsLate()
}

// Inform informs both versions.
func (f *besideFilter) Inform(late bool) {
	for _, s := range []core.StreamFilter{f.live, f.next} {
		if i, ok := s.(core.FindingsReader); ok {
			i.Inform(late)
		}
	}
}

// End asks both versions for their last verdict, and compares them if either has one.
func (f *besideFilter) End(ctx context.Context) (core.Verdict, error) {
	v, err := core.Verdict{Action: core.Pass}, error(nil)
	e, has := f.live.(core.Ender)
	if has {
		v, err = e.End(ctx)
	}
	n, too := f.next.(core.Ender)
	if f.off || !f.t.isRunning() || !has && !too {
		f.storeKept(&v, nil)
		return v, err // the error of the serving filter
	}
	next := core.Verdict{Action: core.Pass}
	var failed error
	if too {
		next, failed = recoverPanic(func() (core.Verdict, error) { return n.End(ctx) })
	}
	f.storeKept(&v, next.Keep)
	if !f.t.countFailure(ctx, failed, err) {
		f.t.countFindings(v.Findings, next.Findings)
		a, b := newOutcome(&v), newOutcome(&next)
		f.t.countComparison(a.describeDifference(&b))
	}
	return v, err // the error of the serving filter
}

// Close closes both filters.
func (f *besideFilter) Close(ctx context.Context) error {
	_, _ = recoverPanic(func() (any, error) { return nil, f.next.Close(ctx) })
	return f.live.Close(ctx) // the error of the serving filter
}
