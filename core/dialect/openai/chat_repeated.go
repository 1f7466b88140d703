package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// maxAlike is the size in bytes of the largest event that is kept for comparison.
const maxAlike = 2 << 10

// repeatedEvent is the last event that carried one text and nothing else. Most events of
// a stream differ only in that text, so it is all that has to be parsed.
type repeatedEvent struct {
	head, tail []byte // around the text, quotes included; no head means no event is kept
	delta      core.Delta
	like       bool
	legacy     bool
}

// read parses an event that differs from the kept one only in its text. It reports false
// for any other event, and if the text is not a valid JSON string.
func (a *repeatedEvent) read(s *splice.Scanner, ev *core.Event, legacy bool) bool {
	doc := ev.Raw
	from, to := len(a.head), len(doc)-len(a.tail)
	if from == 0 || to <= from || a.legacy != legacy || !bytes.Equal(doc[to:], a.tail) || !bytes.Equal(doc[:from], a.head) {
		return false
	}
	s.Reset(doc[from-1 : to+1])
	if s.String(); s.Err() != nil || s.Pos() != to+2-from {
		return false
	}
	a.delta.Span = splice.Span{Start: from, End: to}
	ev.Deltas = append(ev.Deltas, a.delta)
	ev.IsTemplate, ev.HasOnlyDeltas = a.like, true
	return true
}

// store keeps an event that was parsed in full, if later ones can repeat it.
func (a *repeatedEvent) store(ev *core.Event, legacy bool) {
	if !ev.HasOnlyDeltas || len(ev.Deltas) != 1 || ev.Joined != nil || ev.Failed || ev.Finish.Len() > 0 ||
		len(ev.Tied)+len(ev.Closes)+len(ev.Ends)+len(ev.Wholes) > 0 || len(ev.Raw) > maxAlike {
		return
	}
	d := ev.Deltas[0]
	if d.Part.Kind == core.KindToolArgs || d.Depth != 1 || d.Span.Len() == 0 || ev.Raw[d.Span.Start-1] != '"' {
		return
	}
	a.head = append(a.head[:0], ev.Raw[:d.Span.Start]...)
	a.tail = append(a.tail[:0], ev.Raw[d.Span.End:]...)
	a.delta, a.like, a.legacy = d, ev.IsTemplate, legacy
}
