package chain

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// told is what a client was sent of each part, for shapes that repeat it.
type told struct {
	parts []toldPart
	index map[core.Part]int // of parts; nil while they are few
	size  int               // bytes of all texts
	last  []byte            // the event that came last
}

const (
	fewParts = 16
	// A provider could say things without end; what is told is kept to its bounds, which
	// are those of a whole answer.
	mostParts = 1 << 14
	mostTold  = 64 << 20
)

// full reports whether no more can be kept.
func (t *told) full() bool {
	return t != nil && (len(t.parts) > mostParts || t.size > mostTold)
}

var errTold = &core.Error{
	Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Public: "the provider's answer is longer than can be followed, so it was cut off",
}

type toldPart struct {
	core.Part
	text []byte
	last []byte // the last event with text of it
}

func newTold(d core.Dialect) *told {
	if _, ok := d.(core.Repeater); ok {
		return new(told)
	}
	return nil
}

// came notes an event.
func (t *told) came(event []byte) {
	if t != nil {
		t.last = append(t.last[:0], event...)
	}
}

// saw notes an event that brings text of a part.
func (t *told) saw(p core.Part, event []byte) {
	if t != nil {
		q := t.at(p)
		q.last = append(q.last[:0], event...)
	}
}

// like gives the last event that brought text of a part.
func (t *told) like(p core.Part) []byte {
	if q := t.find(p); q != nil {
		return q.last
	}
	return nil
}

// add notes text that goes out.
func (t *told) add(p core.Part, text string) {
	if t != nil {
		q := t.at(p)
		q.text = append(q.text, text...)
		t.size += len(text)
	}
}

// at finds a part, or begins it.
func (t *told) at(p core.Part) *toldPart {
	if q := t.find(p); q != nil {
		return q
	}
	t.parts = append(t.parts, toldPart{Part: p})
	switch n := len(t.parts); {
	case t.index != nil:
		t.index[p] = n - 1
	case n > fewParts:
		t.index = make(map[core.Part]int, 4*fewParts)
		for i := range t.parts {
			t.index[t.parts[i].Part] = i
		}
	}
	return &t.parts[len(t.parts)-1]
}

// find looks from the end: parts arrive one after the other.
func (t *told) find(p core.Part) *toldPart {
	if t == nil {
		return nil
	}
	if t.index != nil {
		if i, ok := t.index[p]; ok {
			return &t.parts[i]
		}
		return nil
	}
	for i := len(t.parts) - 1; i >= 0; i-- {
		if t.parts[i].Part == p {
			return &t.parts[i]
		}
	}
	return nil
}

// whole makes a value that repeats a part say what the client was sent of it,
// whatever the provider says there: the links have seen nothing else. A part that
// nothing was sent of comes in one piece, and is looked at now.
func (s *Stream) whole(ctx context.Context, ev *core.Event, doc []byte, w *core.Delta, dst []byte) ([]byte, *core.Error) {
	if w.Span.Len() == 0 {
		return dst, nil
	}
	dst, e := s.closePart(ctx, w.Part, dst)
	if e != nil {
		return dst, e
	}
	text, scratch := decode(doc, w.Span, w.Depth, s.text[:0])
	s.text = scratch
	if q := s.told.find(w.Part); q != nil {
		if string(q.text) != text {
			s.cut(w, q.text)
			s.untie(ev, w.Part.Choice)
		}
		return dst, nil
	}
	got, same, e := s.take(ctx, s.part(w.Part, w.JSON), text, true)
	s.sweep()
	if e != nil {
		return dst, e
	}
	if same {
		s.told.add(w.Part, text)
		return dst, nil
	}
	s.told.add(w.Part, zerocopy.String(got))
	s.cut(w, got)
	s.untie(ev, w.Part.Choice)
	return dst, nil
}
