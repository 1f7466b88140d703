package chain

import "github.com/headgate-dev/headgate/core"

// Withholds reports whether a link holds back the whole stream until its end.
func (s *Stream) Withholds() bool {
	for k := range s.links {
		if w, ok := s.links[k].filter.(core.Withholder); ok && !s.links[k].state.isShadow() && withholds(w) {
			return true
		}
	}
	return s.tap != nil && s.tap.next.Withholds()
}

// withholds asks a filter. After a panic the answer waits, so that the filter's next panic, at the first text, is
// reported before anything was sent.
func withholds(w core.Withholder) (waits bool) {
	defer func() {
		if recover() != nil {
			waits = true
		}
	}()
	return w.Withholds()
}
