package remote

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// windows cuts a text into overlapping pieces. Their positions depend on the text alone, not on how it arrived, so that
// a streamed answer is judged by the same windows as a whole one. No edge cuts a placeholder, because half of one looks
// like a secret to many guards.
type windows struct{ size, overlap int }

// findEnd returns where the window that begins at start ends. ok is false if that depends on text that has not arrived.
func (w windows) findEnd(text string, start int, last bool) (end int, ok bool) {
	end = start
	for range w.size {
		if end == len(text) {
			return end, last
		}
		_, n := utf8.DecodeRuneInString(text[end:])
		end += n
	}
	for {
		open := placeholder.FindPartial(text[max(start, end-placeholder.MaxLen):end])
		switch {
		case open == 0:
			return end, true
		case end == len(text):
			return end, last
		}
		_, n := utf8.DecodeRuneInString(text[end:])
		end += n
	}
}

// findNextStart returns where the window after text[start:end] begins.
func (w windows) findNextStart(text string, start, end int) int {
	at := end
	for range w.overlap {
		if at == start {
			break
		}
		_, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
	}
	lo, hi, ok := placeholder.Next(text[:end], max(start, at-placeholder.MaxLen))
	for ok && lo < at {
		if at < hi {
			at = lo
			break
		}
		lo, hi, ok = placeholder.Next(text[:end], hi)
	}
	if at <= start { // a placeholder as long as the window: continue after it
		return end
	}
	return at
}

// isInPlaceholder reports whether a span lies within a placeholder: an account number in its digits is not a finding.
func isInPlaceholder(text string, start, end int) bool {
	for at := max(0, start-placeholder.MaxLen); ; {
		lo, hi, ok := placeholder.Next(text, at)
		if !ok || lo > start {
			return false
		}
		if end <= hi {
			return true
		}
		at = hi
	}
}

// widenSpan extends a span to cover the placeholders that it overlaps.
func widenSpan(text string, start, end int) (int, int) {
	for at := max(0, start-placeholder.MaxLen); ; {
		lo, hi, ok := placeholder.Next(text, at)
		if !ok || lo >= end {
			return start, end
		}
		if hi > start {
			start, end = min(start, lo), max(end, hi)
		}
		at = hi
	}
}
