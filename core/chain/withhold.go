package chain

import "github.com/headgate-dev/headgate/core"

// Withholds reports whether a link wants nothing of the stream to be sent before
// its end.
func (s *Stream) Withholds() bool {
	for k := range s.links {
		if w, ok := s.links[k].filter.(core.Withholder); ok && !s.links[k].state.shadow() && withholds(w) {
			return true
		}
	}
	return s.tap != nil && s.tap.next.Withholds()
}

// withholds asks a filter. One that panics has the answer wait, so that its next panic, at the
// first text, is told before anything was sent.
func withholds(w core.Withholder) (waits bool) {
	defer func() {
		if recover() != nil {
			waits = true
		}
	}()
	return w.Withholds()
}
