package chain

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// part is the state of one run of text.
type part struct {
	core.Part
	closed bool
	bufs   []tail    // one for each link
	json   *jsonPart // set when the text is JSON
}

// tail is the text of a part that a link still works on: context, then held.
type tail struct {
	text []byte
	sent int
	out  []byte
	// found lies in text, and what of it was cleared has gone on.
	found []found
}

func (s *Stream) part(p core.Part, isJSON bool) *part {
	for _, q := range s.parts {
		if q.Part == p && !q.closed {
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

// maxUnfinished bounds the tool calls that are followed side by side.
const maxUnfinished = 128

// unfinished reports whether a tool call must stay open while next arrives: its
// arguments are not whole yet, and some providers send those of parallel calls
// in turns. Nothing is shown out of order by it: each call has a place of its own.
func (q *part) unfinished(next core.Part, open int) bool {
	return q.json != nil && q.Kind == next.Kind && open <= maxUnfinished && !q.json.cursor.Whole()
}

// closeOthers ends the other open parts of the same choice: text, then a tool
// call, arrive one after the other.
func (s *Stream) closeOthers(ctx context.Context, p core.Part, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Choice == p.Choice && q.Part != p && !q.closed && !q.unfinished(p, len(s.parts)) {
			var e *core.Error
			if dst, e = s.close(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.sweep()
	return dst, nil
}

// closePart ends one part, if it is open.
func (s *Stream) closePart(ctx context.Context, p core.Part, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Part == p && !q.closed {
			dst, e := s.close(ctx, q, dst)
			s.sweep()
			return dst, e
		}
	}
	return dst, nil
}

func (s *Stream) closeChoice(ctx context.Context, choice int32, dst []byte) ([]byte, *core.Error) {
	for _, q := range s.parts {
		if q.Choice == choice && !q.closed {
			var e *core.Error
			if dst, e = s.close(ctx, q, dst); e != nil {
				return dst, e
			}
		}
	}
	s.sweep()
	return dst, nil
}

// sweep forgets parts that have ended, so that a stream of very many parts
// stays small.
func (s *Stream) sweep() {
	keep := s.parts[:0]
	for _, q := range s.parts {
		if !q.closed {
			keep = append(keep, q)
		}
	}
	clear(s.parts[len(keep):])
	s.parts = keep
}

// close ends a part and appends what was held of it.
func (s *Stream) close(ctx context.Context, q *part, dst []byte) ([]byte, *core.Error) {
	got, same, e := s.take(ctx, q, "", true)
	if e != nil || same || len(got) == 0 {
		return dst, e
	}
	s.told.add(q.Part, zerocopy.String(got))
	like := s.told.like(q.Part)
	if like == nil {
		like = s.like
	}
	return s.d.AppendDelta(dst, like, q.Part, string(got)), nil
}
