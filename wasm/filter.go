package wasm

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Stream opens a filter. A guest without hg_stream keeps no state between the windows of a stream: each call gets the held text and the
// new text, so that a stream of a minute pins no instance.
func (s *Stage) Stream(ctx context.Context, x *core.Exchange, _ any) (core.StreamFilter, error) {
	if s.v.has.stream {
		return s.streamPinned(ctx, x)
	}
	return &filter{s: s, who: findCaller(x)}, nil
}

// filter applies a detector to one streamed answer.
type filter struct {
	s     *Stage
	who   caller
	parts []*progress
}

var _ core.LateFinder = (*filter)(nil)

// FindsLate reports whether the detector only reports, and so does not hold back, text that a later link could remove.
func (f *filter) FindsLate() bool {
	return !f.s.holds && slices.ContainsFunc(f.s.v.Manifest.Labels, placeholder.IsValidType)
}

// progress is the progress within a part.
type progress struct {
	part core.Part
	seen int // bytes of the part that were new in earlier windows
	tail tail
}

// tail is text that a filter keeps for itself. A detector that only reports holds nothing back: it lets the text pass, and scans it again
// with the text that follows.
type tail struct {
	text    []byte
	sent    int
	dropped bool
}

// Check judges a window.
func (f *filter) Check(ctx context.Context, w core.Window) (v core.Verdict, hold int, err error) {
	v.Action = core.Pass
	src := classifySource(core.RoleAssistant, w.Part.Kind)
	if !f.s.sources.has(src) {
		return v, 0, nil
	}
	p := f.findProgress(w)
	before := p.seen > w.New
	p.seen += len(w.Text) - w.New
	text, sent := w.Text, w.Sent
	if !f.s.holds {
		p.tail.text = append(p.tail.text, w.Text[w.New:]...)
		text, sent, before = zerocopy.String(p.tail.text), p.tail.sent, p.tail.dropped
	}
	if w.Last {
		f.forget(p)
	}
	if len(text) == sent {
		return v, 0, nil
	}
	c := check{s: f.s, phase: core.Response, who: f.who}
	known, err := c.checkWindow(ctx, text, abi.WithSource(0, src), before, sent, w.Last)
	if err != nil && c.stale && mayBeStale(err) {
		c = check{s: f.s, phase: core.Response, who: f.who, fresh: true}
		known, err = c.checkWindow(ctx, text, abi.WithSource(0, src), before, sent, w.Last)
	}
	if err != nil {
		return v, 0, err
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

// checkWindow judges the held text and the new text, see judgeText.
func (c *check) checkWindow(ctx context.Context, text string, flags uint32, before bool, sent int, last bool) (known int, err error) {
	c.v.Action = core.Pass
	defer c.releaseOnPanic()
	if err = c.acquireInstance(ctx, len(text)); err == nil {
		known, err = c.judgeText(text, flags, before, sent, last)
		c.release(err)
	}
	return known, err
}

// Close ends the filter; it holds nothing.
func (f *filter) Close(context.Context) error { return nil }

func (f *filter) findProgress(w core.Window) *progress {
	for _, p := range f.parts {
		if p.part == w.Part {
			return p
		}
	}
	p := &progress{part: w.Part}
	f.parts = append(f.parts, p)
	return p
}

func (f *filter) forget(p *progress) {
	f.parts = slices.DeleteFunc(f.parts, func(q *progress) bool { return q == p })
}

// advance records that everything before known is decided, and drops what is no longer needed as context.
func (t *tail) advance(known int) {
	t.sent = known
	if known < 8*contextBytes {
		return
	}
	cut := known - contextBytes
	for cut < known && !utf8.RuneStart(t.text[cut]) {
		cut++
	}
	t.text = t.text[:copy(t.text, t.text[cut:])]
	t.sent, t.dropped = known-cut, true
}
