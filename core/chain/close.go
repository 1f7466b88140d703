package chain

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// openPart returns an open part, or opens it.
func (s *Stream) openPart(p core.Part, isJSON bool) (*part, *core.Error) {
	if q := s.parts.find(p); q != nil {
		return q, nil
	}
	if s.parts.isFull() {
		return nil, errTooLong
	}
	q := &part{Part: p, bufs: s.r.spare.get(len(s.links))}
	if isJSON {
		q.json = new(jsonPart)
	} else if p.Kind == core.KindText {
		s.followOffsets(q)
	}
	s.parts.add(q)
	return q, nil
}

// closeOtherParts ends the other open parts of the same choice: text, then a tool
// call, arrive one after the other.
func (s *Stream) closeOtherParts(ctx context.Context, p core.Part, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts.listChoiceParts(p.Choice) {
		if s.parts.steps++; q.Part != p && q.state == open && !q.isUnfinished(p, s.parts.size) {
			var e *core.Error
			if dst, e = s.endPart(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.parts.dropClosed(p.Choice)
	return dst, nil
}

// closePart ends one part, if it is open.
func (s *Stream) closePart(ctx context.Context, p core.Part, dst []byte) (_ []byte, e *core.Error) {
	if q := s.parts.find(p); q != nil {
		dst, e = s.endPart(ctx, q, dst)
	}
	s.parts.dropClosed(p.Choice)
	return dst, e
}

func (s *Stream) closeChoice(ctx context.Context, choice int32, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts.listChoiceParts(choice) {
		if s.parts.steps++; q.state == open {
			var e *core.Error
			if dst, e = s.endPart(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.parts.dropClosed(choice)
	return dst, nil
}

// endPart ends a part and appends what was held of it.
func (s *Stream) endPart(ctx context.Context, q *part, dst []byte) ([]byte, *core.Error) {
	got, same, e := s.feedText(ctx, q, "", true)
	if e != nil || same || len(got) == 0 {
		if e == nil {
			dst = s.releaseQueue(dst)
		}
		return dst, e
	}
	s.transcript.addText(q.Part, zerocopy.String(got))
	rest, dst := s.releaseBetween(q, got, dst, true)
	if len(rest) > 0 {
		dst = s.d.AppendDelta(dst, s.findLikeEvent(q), q.Part, string(rest))
	}
	return s.releaseQueue(dst), nil
}
