package wasm

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// pinned applies a detector with hg_stream to one streamed answer. It holds an instance exclusively, which sees the whole answer once, in
// order, and can remember it.
type pinned struct {
	s     *Stage
	inst  *instance // nil if it failed or the filter is closed
	parts []*pinnedPart
}

var (
	_ core.StreamFilter = (*pinned)(nil)
	_ core.LateFinder   = (*pinned)(nil)
)

// pinnedPart is an unfinished part of the answer.
type pinnedPart struct {
	part core.Part
	strand
	tail tail // of a detector that only reports
}

// inAnswers are the sources of the text that a model writes.
const inAnswers = sourceSet(1<<abi.SourceAssistant | 1<<abi.SourceToolArgs | 1<<abi.SourceReasoning | 1<<abi.SourceOther)

// streamPinned opens the filter. If the limit of pinned instances is reached, it fails before any of the answer was sent.
func (s *Stage) streamPinned(ctx context.Context, x *core.Exchange) (core.StreamFilter, error) {
	if s.sources&inAnswers == 0 {
		return nil, nil // nil means that the stage does not read the answer
	}
	i, err := s.v.pin(ctx, findCaller(x))
	if err != nil {
		return nil, err
	}
	return &pinned{s: s, inst: i}, nil
}

// FindsLate reports whether the detector only reports, and so does not hold back, text that a later link could remove.
func (f *pinned) FindsLate() bool {
	return !f.s.holds && slices.ContainsFunc(f.s.v.Manifest.Labels, placeholder.IsValidType)
}

// Check judges a window.
func (f *pinned) Check(ctx context.Context, w core.Window) (v core.Verdict, hold int, err error) {
	v.Action = core.Pass
	src := classifySource(core.RoleAssistant, w.Part.Kind)
	if !f.s.sources.has(src) {
		return v, 0, nil
	}
	if f.inst == nil {
		return v, 0, &Error{Plugin: f.s.v.Name, Kind: core.FaultError, Reason: "it failed before in this answer", excused: true}
	}
	ended := false
	defer func() {
		if err != nil || !ended {
			if err == nil {
				err = errPanicked
			}
			f.release(false, err)
		}
	}()
	f.inst.call.arm(ctx, f.s.budget.computeAllowance(len(w.Text)-w.New))
	v, hold, err = f.check(w, src)
	ended = true
	if f.inst != nil {
		f.inst.call.disarm()
	}
	return v, hold, err
}

func (f *pinned) check(w core.Window, src abi.Source) (v core.Verdict, hold int, err error) {
	v.Action = core.Pass
	p, err := f.open(w.Part, src)
	if err != nil {
		return v, 0, err
	}
	if w.Last {
		f.parts = slices.DeleteFunc(f.parts, func(q *pinnedPart) bool { return q == p })
	}
	if p.unseen {
		return v, 0, nil
	}
	text, sent, from := w.Text, w.Sent, w.New
	if !f.s.holds {
		from = len(p.tail.text)
		p.tail.text = append(p.tail.text, w.Text[w.New:]...)
		text, sent = zerocopy.String(p.tail.text), p.tail.sent
	}
	if err = f.inst.passText(&p.strand, text, from); err == nil && w.Last {
		err = f.inst.finish(&p.strand, text)
	}
	if err != nil {
		return v, 0, err
	}
	hits, known, err := f.s.decide(f.inst, &p.strand, text, sent, w.Last)
	if err != nil {
		return v, 0, err
	}
	c := check{s: f.s, phase: core.Response}
	c.v.Action = core.Pass
	if len(hits) > 0 {
		c.recordHits(hits, 0)
	}
	if !f.s.holds {
		p.tail.advance(known)
		for k := range c.v.Findings { // offsets are relative to the tail, not to the window
			c.v.Findings[k].Start, c.v.Findings[k].End = 0, 0
		}
		return c.v, 0, nil
	}
	if c.v.Action == core.Block {
		return c.v, 0, nil
	}
	return c.v, len(text) - known, nil
}

// open returns the state of the part, creating it for a new part.
func (f *pinned) open(part core.Part, src abi.Source) (*pinnedPart, error) {
	for _, p := range f.parts {
		if p.part == part {
			return p, nil
		}
	}
	p := &pinnedPart{part: part}
	if err := f.inst.begin(&p.strand, src); err != nil {
		return nil, err
	}
	f.parts = append(f.parts, p)
	return p, nil
}

// Close returns the instance to the pool.
func (f *pinned) Close(context.Context) error {
	f.release(len(f.parts) == 0, nil)
	return nil
}

// release unpins the instance. whole is true if all parts have ended.
func (f *pinned) release(whole bool, err error) {
	if i := f.inst; i != nil {
		f.inst = nil
		f.s.v.unpin(i, whole, err)
	}
}
