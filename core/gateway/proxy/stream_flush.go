package proxy

import (
	"slices"
)

// flush sends what is ready; last closes a JSON array. It returns false if the client has hung up.
func (s *streamedAnswer) flush(last bool) bool {
	if last || s.state.isEnded() { // the provider is done
		s.c.releaseSlot()
	}
	if !s.c.state.headOut {
		h := s.c.w.Header()
		s.c.copyHeader(s.res)
		h["Content-Type"] = []string{s.chooseContentType()}
		h["Cache-Control"] = []string{"no-cache"}
		h["X-Accel-Buffering"] = []string{"no"}
		s.c.addHeader(h)
		s.c.x.Outcome.Status = s.res.Status
		s.c.state.headOut = true
		s.c.w.WriteHeader(s.res.Status)
	}
	s.c.noteStreamedCalls(s.c.out)
	out := s.c.out
	if s.array != nil {
		s.elements = s.elements[:0]
		for piece := range slices.Chunk(s.c.out, readSize) { // the limit applies to one event and the bytes written with it
			var err error
			if s.elements, err = s.array.Append(s.elements, piece); err != nil {
				return false
			}
		}
		if last {
			s.elements = s.array.Close(s.elements)
		}
		out = s.elements
	}
	err := s.alive.send(out)
	s.c.out = s.c.out[:0]
	return err == nil
}

// hasSentNothing reports whether the client has seen nothing, so that a failure can still be a status.
func (s *streamedAnswer) hasSentNothing() bool {
	return !s.c.state.headOut && (s.withheld || len(s.c.out) == 0)
}

func (s *streamedAnswer) chooseContentType() string {
	switch {
	case s.array != nil:
		return s.array.ContentType()
	case s.c.answer.tr != nil:
		return "text/event-stream"
	}
	return s.res.Get("Content-Type") // with its parameters, as sent
}
