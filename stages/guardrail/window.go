package guardrail

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// cutting holds the sizes of an answer's windows, in characters.
type cutting struct{ window, overlap int }

// maxWordBytes is how far the start of a window moves back to the start of a word.
const maxWordBytes = 64

// scanWindow judges the window at the start of text. first says that the part begins there; ended, that no text follows. done
// reports that nothing is left; otherwise next is the offset of the next window, or -1 if more text is needed. The windows
// depend on the text alone, not on how it arrives: a window is judged once a character beyond it, or the end, is known.
func (s *Stage) scanWindow(c *check, text string, first, ended bool, visit func(g *guard, f finding)) (next int, done bool) {
	end, next := s.cut.findCuts(text)
	if end < 0 && !ended {
		return -1, false
	}
	c.first, c.last = first, end < 0
	w := c.w
	w.places = w.places[:0]
	win := text
	if end >= 0 {
		win = text[:end]
	}
	s.engine.scanWindow(c, win, func(g *guard, f finding) { w.places = append(w.places, place{g, f}) })
	if end < 0 {
		for i := range w.places {
			visit(w.places[i].guard, w.places[i].finding)
		}
		return len(text), true
	}
	next = w.moveNextWindow(next)
	for i := range w.places {
		if p := &w.places[i]; p.start < next {
			visit(p.guard, p.finding)
		}
	}
	return next, false
}

// place is a match of a guard in a window.
type place struct {
	guard *guard
	finding
}

// moveNextWindow moves the start of the next window so that it splits nothing that will be redacted: to the start of
// the place that crosses it or, if that is as early as the window itself, to its end.
func (w *work) moveNextWindow(next int) int {
	slices.SortStableFunc(w.places, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	start, end := 0, 0 // overlapping places count as one
	for i := range w.places {
		p := &w.places[i]
		if p.guard.action != actionRedact || p.start >= p.end {
			continue
		}
		if p.start >= end {
			if p.start >= next || end > next {
				break
			}
			start = p.start
		}
		end = max(end, p.end)
	}
	switch {
	case start >= next || end <= next:
		return next
	case start > 0:
		return start
	}
	return end
}

// findCuts returns the end of a text's first window, or -1 if the text is not longer than one, and the start of the next.
func (k cutting) findCuts(text string) (end, next int) {
	if len(text) <= k.window {
		return -1, 0
	}
	n := 0
	for i := range text {
		if n == k.window-k.overlap {
			next = i
		}
		if n == k.window {
			return i, findWordStart(text, next)
		}
		n++
	}
	return -1, 0
}

// findWordStart moves an offset back to the start of the word around it, unless that is far away.
func findWordStart(s string, at int) int {
	for i := at; i > 0 && at-i <= maxWordBytes; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if r < utf8.RuneSelf && kinds[lowered[byte(r)]] != kindWord && r != '\'' {
			return i
		}
		i -= size
	}
	return at
}

// mergeSpans returns the places to redact in order, and merges overlapping places.
func (w *work) mergeSpans() []span {
	if len(w.spans) < 2 {
		return w.spans
	}
	slices.SortStableFunc(w.spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	keep := w.spans[:1]
	for _, sp := range w.spans[1:] {
		if last := &keep[len(keep)-1]; sp.start < last.end {
			last.end = max(last.end, sp.end)
			continue
		}
		keep = append(keep, sp)
	}
	w.spans = keep
	return keep
}
