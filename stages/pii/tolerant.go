package pii

import (
	"sort"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// nextPlaceholder returns the first placeholder at or after at, and its normalized form.
func nextPlaceholder(text string, at int, tolerant bool) (start, end int, token string, ok bool) {
	if tolerant {
		return placeholder.FindNextAltered(text, at)
	}
	start, end, ok = placeholder.Next(text, at)
	return start, end, text[start:end], ok
}

// findPartial returns how many bytes at the end of text, after from, may become a placeholder.
func findPartial(text string, from int, tolerant bool) int {
	if tolerant {
		return placeholder.FindPartialAltered(text, from)
	}
	return placeholder.FindPartial(text[from:])
}

// span is the position of a placeholder in the current text.
type span struct{ start, end int }

// touches reports whether a match overlaps one of the placeholders of the text,
// which are in order.
func touches(spans []span, m Match) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].end > m.Start })
	return i < len(spans) && spans[i].start < m.End
}

// maxHoldWhole is the limit of extendHold: a value and a placeholder.
const maxHoldWhole = HoldMax + placeholder.MaxAltered

// extendHold extends hold so that the held text starts inside no value and no placeholder. Without braces a placeholder
// can start in the middle of a word, and so of a value; then the placeholder wins, if it is complete.
func (f *filter) extendHold(w core.Window, hold int) int {
	f.w.matches = f.s.engine.DetectFrom(f.w.matches[:0], w.Text, w.Sent)
	for last := -1; last != hold && hold < maxHoldWhole; {
		last = hold
		clear := len(w.Text) - hold
		for at := w.Sent; ; {
			start, end, _, ok := placeholder.FindNextAltered(w.Text, at)
			if !ok || start >= clear {
				break
			}
			if end > clear {
				clear = start
			}
			at = end
		}
		for _, m := range f.w.matches {
			if w.Sent <= m.Start && m.Start < clear && clear < m.End {
				clear = m.Start
			}
		}
		hold = len(w.Text) - clear
	}
	return hold
}
