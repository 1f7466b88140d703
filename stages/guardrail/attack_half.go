package guardrail

import "github.com/headgate-dev/headgate/core/body/match"

// half holds the words of a window's second half, which is the first half of the next window: words with their ids, and
// literals. Positions are relative to that half.
type half struct {
	at    int // its offset in the text; nowhere: nothing was read
	size  int // of the half, in bytes
	words []word
	hits  []match.Hit
}

// nowhere marks an unset offset.
const nowhere = -1

// readHalves is readWords for an ASCII window at an offset of a text. It copies the first half from the previous window, if
// that was read. middle is where its second half begins. readWords is the plain twin.
func (a *attackScan) readHalves(w *view, at, middle int) {
	phrases, known := asciiPhrases(), 0
	if a.takeHalf(w, at) {
		known = len(a.half.words)
		from := max(0, a.half.size-phrases.longest+1) // what ends behind the half begins here or later
		w.hits = append(w.hits[:0], a.half.hits...)
		n := len(w.hits)
		w.hits = phrases.scan(w.hits, w.norm[from:], 0, nil)
		keep := n
		for _, h := range w.hits[n:] {
			h.Start, h.End = h.Start+int32(from), h.End+int32(from)
			if int(h.End) > a.half.size {
				w.hits[keep] = h
				keep++
			}
		}
		w.hits = w.hits[:keep]
	} else {
		w.hits = phrases.scan(w.hits[:0], w.norm, 0, nil)
		w.ensureWords()
	}
	a.lex.identify(w, known)
	a.keepHalf(w, at, middle)
	a.lex.placeLiterals(w, 0)
}

// takeHalf starts the words of the window at an offset with the known words of that half, and reports whether there were any.
func (a *attackScan) takeHalf(w *view, at int) bool {
	h := &a.half
	if h.at != at || len(h.words) == 0 {
		return false
	}
	end := int(h.words[len(h.words)-1].end)
	if end < len(w.norm) && w.norm[end] == '\'' { // the word may go on
		return false
	}
	w.words = append(w.words[:0], h.words...)
	w.words[0].stop = true
	w.spelt = true
	w.split(end)
	return true
}

// keepHalf keeps the words and literals of a window's second half.
func (a *attackScan) keepHalf(w *view, at, middle int) {
	h := &a.half
	h.at, h.size = nowhere, len(w.norm)-middle
	k := len(w.words)
	for k > 0 && int(w.words[k-1].start) >= middle {
		k--
	}
	if k > 0 && int(w.words[k-1].end) > middle {
		return // a word with an apostrophe is in both halves
	}
	h.at = at + middle
	h.words = append(h.words[:0], w.words[k:]...)
	for i := range h.words {
		h.words[i].start -= int32(middle)
		h.words[i].end -= int32(middle)
	}
	h.hits = h.hits[:0]
	for _, hit := range w.hits {
		if int(hit.Start) >= middle {
			hit.Start, hit.End = hit.Start-int32(middle), hit.End-int32(middle)
			h.hits = append(h.hits, hit)
		}
	}
}
