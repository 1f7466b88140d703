package pii

import "unicode/utf8"

// holdMax bounds the result of Hold.
const holdMax = 256

// cutBack is how far from the end a saturated text may be cut: for every match that starts before that, the text contains
// its look-ahead.
const cutBack = 140

// CountHeld returns how many bytes at the end of text must wait for more text, because they could be, start or change a
// match. Matches of Detect that end before them are final, and none extends into them. Typical are one word and the
// space behind it, and 0 behind a punctuation mark unless a number precedes it. It is at most 256, and at most HoldMax
// while a key, a token or a URL continues.
func (e *Engine) CountHeld(text string) int {
	return e.CountHeldFrom(text, 0)
}

// CountHeldFrom is CountHeld for a text whose first from bytes were released before.
func (e *Engine) CountHeldFrom(text string, from int) int {
	lo := max(0, len(text)-holdMax-ContextBytes)
	for lo < len(text) && lo > 0 && !utf8.RuneStart(text[lo]) {
		lo++
	}
	s := e.pool.Get().(*scan)
	s.v.load(text[lo:], true)
	cut := lo + textEnd{s}.findSafeEnd()
	full := len(text)-cut >= cutBack
	e.releaseScan(s)
	if full {
		cut = e.cutLongRun(text, from, cut)
	}
	cut = e.cutBeforeUnjudged(text, from, cut)
	return max(0, len(text)-max(cut, from))
}

// A textEnd is the end of the text of a scan, to which a stream may add more.
type textEnd struct{ s *scan }

// findSafeEnd returns the raw offset up to which the view is final.
func (w textEnd) findSafeEnd() int {
	t := w.s.v.s
	k := len(t)
	for k > 0 && (k < len(t) && !utf8.RuneStart(t[k]) || !isHardAt(t, k)) {
		k--
	}
	live := findUnfinished(t, k)
	if live == len(t) {
		return len(w.s.v.raw)
	}
	return w.s.v.findRawStart(live)
}

// isHardAt reports whether a hard break ends at i: a byte or character that no match contains and no look-ahead crosses, or
// two spaces.
func isHardAt(t string, i int) bool {
	c := t[i-1]
	switch {
	case class[c]&isHard != 0:
		return true
	case c == ' ':
		return i >= 2 && t[i-2] == ' '
	case c < utf8.RuneSelf:
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(t[:i])
	return !isWordRune(r)
}

// findUnfinished returns the start, in the soft text t[k:], of the first value that more text could complete: the last
// word, and the numbers and the groups of an IBAN before it.
func findUnfinished(t string, k int) int {
	for i := findWordStart(t, len(t), k); ; {
		for i > k {
			j := findWordStart(t, i-1, k)
			if !isNumeric(t[j : i-1]) {
				break
			}
			i = j
		}
		j := findIBANLive(t, i, k)
		if j == i {
			return i
		}
		i = findWordStart(t, j, k)
	}
}

// findWordStart returns the start of the run without spaces that ends at i.
func findWordStart(t string, i, k int) int {
	for i > k && t[i-1] != ' ' {
		i--
	}
	return i
}

// isNumeric reports whether the word w can be part of a number that continues.
func isNumeric(w string) bool {
	marks, plain := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case isDigitByte(c):
			return true
		case c == '(' || c == ')' || c == '+':
			marks++
		case c != '-' && c != '.':
			plain++
		}
	}
	if marks > 0 && plain == 0 {
		return true
	}
	j := 0
	switch {
	case hasFold(w, 0, "extension"):
		j = 9
	case hasFold(w, 0, "ext"):
		j = 3
	case hasFold(w, 0, "x"):
		j = 1
	}
	return j > 0 && (j == len(w) || w[j:] == ".")
}

// findIBANLive returns the start of an IBAN that extends beyond i, or i: its groups may be all letters, so they do not look
// like a number.
func findIBANLive(t string, i, k int) int {
	for j := max(k, i-ibanText); j < i; j++ {
		if j+4 > len(t) || !isLetterByte(t[j]) || !isLetterByte(t[j+1]) || !isDigitByte(t[j+2]) || !isDigitByte(t[j+3]) || !canBeginIBAN(t, j) {
			continue
		}
		if n := findIBANLength(t[j], t[j+1]); n > 0 && findIBANReach(t, j, n) > i {
			return j
		}
	}
	return i
}

// ibanText is the length of the longest IBAN, in groups of four.
const ibanText = 34 + 8

// findIBANReach returns how far t[i:] could be an IBAN of that size, plus one if the text ends within it.
func findIBANReach(t string, i, size int) int {
	sep := byte(0)
	for k := 0; k < size; k++ {
		if i < len(t) && k > 0 && k%4 == 0 {
			if k == 4 && (t[i] == ' ' || t[i] == '-') {
				sep = t[i]
			}
			if sep != 0 {
				if t[i] != sep {
					return 0
				}
				i++
			}
		}
		if i >= len(t) {
			return len(t) + 1
		}
		if class[t[i]]&(isDigit|isLetter) == 0 {
			return 0
		}
		i++
	}
	return i
}
