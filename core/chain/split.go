package chain

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// mustSplit reports whether an event holds text that links hold back, and offsets that point into it.
func (s *Stream) mustSplit(ev *core.Event, waits *part) bool {
	if ev.Offsets == nil || waits != nil {
		return false
	}
	held := false
	for i := range ev.Deltas {
		d := &ev.Deltas[i]
		if d.Part.Kind == core.KindToolArgs {
			return false
		}
		if q := s.parts.find(d.Part); q != nil && !d.JSON && d.Span.Len() > 0 {
			held = held || q.findHolder(s.links) >= 0
		}
	}
	return held
}

// splitEvent appends the cleared texts of an event as events of their own, and cuts all text out of it, if the event must wait
// for what is held: its offsets are right only then.
func (s *Stream) splitEvent(ev *core.Event, doc []byte, waits *part, dst []byte) []byte {
	if !s.mustSplit(ev, waits) {
		return dst
	}
	for i := range ev.Deltas {
		d := &ev.Deltas[i]
		if d.Span.Len() == 0 || d.JSON {
			continue
		}
		at := slices.IndexFunc(s.cuts, func(c splice.Cut) bool { return c.Span == d.Span })
		if at < 0 {
			at = len(s.cuts)
			s.cuts = append(s.cuts, splice.Cut{Span: d.Span, With: zerocopy.String(doc[d.Span.Start:d.Span.End])})
		}
		spelled := zerocopy.ViewBytes(s.cuts[at].With)
		if text, _ := splice.ReadText(spelled, splice.Span{End: len(spelled)}, d.Depth, nil); len(text) > 0 {
			dst = s.d.AppendDelta(dst, doc, d.Part, string(text))
		}
		s.cuts[at].With = ""
		s.cutTied(ev, d.Part.Choice)
	}
	s.split = true
	return dst
}
