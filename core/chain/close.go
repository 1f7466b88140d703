package chain

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

func (s *Stream) openPart(p core.Part, isJSON bool) *part {
	for _, q := range s.parts {
		if q.Part == p && q.state == open {
			return q
		}
	}
	q := &part{Part: p, bufs: make([]tail, len(s.links))}
	if isJSON {
		q.json = new(jsonPart)
	}
	s.parts = append(s.parts, q)
	return q
}

// closeOthers ends the other open parts of the same choice: text, then a tool
// call, arrive one after the other.
func (s *Stream) closeOthers(ctx context.Context, p core.Part, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Choice == p.Choice && q.Part != p && q.state == open && !q.unfinished(p, len(s.parts)) {
			var e *core.Error
			if dst, e = s.endPart(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.dropClosedParts()
	return dst, nil
}

// closePart ends one part, if it is open.
func (s *Stream) closePart(ctx context.Context, p core.Part, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Part == p && q.state == open {
			dst, e := s.endPart(ctx, q, dst)
			s.dropClosedParts()
			return dst, e
		}
	}
	return dst, nil
}

func (s *Stream) closeChoice(ctx context.Context, choice int32, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Choice == choice && q.state == open {
			var e *core.Error
			if dst, e = s.endPart(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.dropClosedParts()
	return dst, nil
}

// dropClosedParts forgets parts that have ended, so that a stream of very many parts
// stays small.
func (s *Stream) dropClosedParts() {
	keep := s.parts[:0]
	for _, q := range s.parts {
		if q.state == open {
			keep = append(keep, q)
		}
	}
	clear(s.parts[len(keep):])
	s.parts = keep
}

// endPart ends a part and appends what was held of it.
func (s *Stream) endPart(ctx context.Context, q *part, dst []byte) ([]byte, *core.Error) {
	got, same, e := s.feedText(ctx, q, "", true)
	if e != nil || same || len(got) == 0 {
		return dst, e
	}
	s.transcript.addText(q.Part, zerocopy.String(got))
	like := s.transcript.lastPartEvent(q.Part)
	if like == nil {
		like = s.like
	}
	return s.d.AppendDelta(dst, like, q.Part, string(got)), nil
}
