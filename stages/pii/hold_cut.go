package pii

import (
	"unicode/utf8"
)

// cutLongRun finds the cut in a text that ends with one long run that could all be part of values: consecutive numbers, or
// text without any break.
func (e *Engine) cutLongRun(text string, from, cut int) int {
	c := max(cut, len(text)-cutBack)
	for c < len(text) && !utf8.RuneStart(text[c]) {
		c++
	}
	c = min(c, findOpenAddress(text, max(cut, len(text)-holdMax+8)))
	s := e.pool.Get().(*scan)
	s.clearLimits()
	lo := max(0, min(from, len(text)))
	for _, m := range s.run(e, nil, text, lo) {
		if m.Start < c && m.End > c {
			c = m.Start
		}
	}
	e.releaseScan(s)
	return max(c, len(text)-holdMax, cut)
}

// findOpenAddress returns the start, from lo, of the first e-mail address whose domain could still grow, or the length
// of the text.
func findOpenAddress(text string, lo int) int {
	first := len(text)
	for i := len(text) - 1; i >= lo && i >= len(text)-emailDomainMax-16; i-- {
		if c := text[i]; c != '@' && c != '%' && c != '&' && c != 0xEF {
			continue
		}
		j := i
		for j > lo && j > i-lookBack && (class[text[j-1]]&(isLocal|isWide) != 0) {
			j--
		}
		for j < i && !utf8.RuneStart(text[j]) {
			j++
		}
		first = min(first, j)
	}
	return first
}
