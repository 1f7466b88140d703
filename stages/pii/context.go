package pii

import (
	"math/bits"
	"strings"
	"unicode"
)

// contextWords is how many words before a value count.
const contextWords = 5

// contextBytes is how many raw bytes before a value count.
const contextBytes = 80

type verdict uint8

const (
	saysNothing verdict = iota
	speaksFor
	hints
	speaksAgainst
)

// A set holds types by their place in the table.
type set [2]uint64

func (s *set) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s *set) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// wordMeaning is the meaning of a word: the types that it supports, hints at, and argues against.
type wordMeaning struct{ pro, hint, contra set }

// isUnspaced reports whether r belongs to a script written without spaces.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// judgeContext returns the evidence for d in the words before the folded offset i: the nearest telling word decides. Words are
// looked up on demand, since the first one usually decides.
func (s *scan) judgeContext(i int, d *detector) verdict {
	w := &s.before
	if w.at != i {
		w.reset(&s.v, &s.e.words, i)
	}
	for k := 0; k < w.n || w.left > 0 && w.lookup(); k++ {
		switch says := w.says[k]; {
		case says.pro.has(d.row):
			return speaksFor
		case says.hint.has(d.row):
			return hints
		case says.contra.has(d.row):
			return speaksAgainst
		}
	}
	return saysNothing
}

// isSpokenFor reports whether a word before the folded offset i makes a value of d likelier.
func (s *scan) isSpokenFor(i int, d *detector) bool {
	v := s.judgeContext(i, d)
	return v == speaksFor || v == hints
}

// precedingWords holds the words before a place that were looked up so far.
type precedingWords struct {
	text  string
	known *wordFilter // telling words of the engine

	at   int // the place
	says [contextWords]*wordMeaning
	n    int // telling words
	left int // words to look up
	low  int // start of the inspected text
	end  int // its end: before the last word that was looked up

	bits  uint64 // has a bit for each byte of a word from first to end, the nearest highest
	first int
}

// nearBytes is how many bytes before a value preceding has bits for: five words are seldom longer.
const nearBytes = 48

// reset resets w to the words before i.
func (w *precedingWords) reset(v *view, known *wordFilter, i int) {
	w.text, w.known = v.s, known
	w.at, w.n, w.left, w.low, w.end, w.first = i, 0, contextWords, v.stepBack(i, contextBytes), i, i
	if i-w.low < nearBytes {
		return
	}
	t := v.s[i-nearBytes : i]
	a, b, c, d, e, f := loadEight(t[:8]), loadEight(t[8:16]), loadEight(t[16:24]), loadEight(t[24:32]), loadEight(t[32:40]), loadEight(t[40:])
	if (a|b|c|d|e|f)&highest != 0 {
		return
	}
	w.first = i - nearBytes
	w.bits = uint64(packHighBits(markLetters(a))|packHighBits(markLetters(b))<<8)<<16 |
		uint64(packHighBits(markLetters(c))|packHighBits(markLetters(d))<<8|packHighBits(markLetters(e))<<16|packHighBits(markLetters(f))<<24)<<32
}

// lookup looks words up until it finds a telling word.
func (w *precedingWords) lookup() bool {
	for ; w.left > 0; w.left-- {
		begin, end, wide := w.findWordBefore()
		if begin == end {
			w.left = 0
			return false
		}
		w.end = begin
		if word := w.text[begin:end]; wide || w.known.has(word) {
			if says := lookupAnyCase(word, wide); says != nil && !callsMethod(w.text, begin, end, w.at) && !isOtherCell(w.text, begin, end, w.at) {
				w.says[w.n] = says
				w.n++
				w.left--
				return true
			}
		}
	}
	return false
}

// isOtherCell reports whether t[begin:end] is the word "cell" and a number, a quote or more than one word stands before what is at i:
// cells are in tables, terminals and biology. "My cell is 202-555-0143", "cell (work): 202-555-0143".
func isOtherCell(t string, begin, end, i int) bool {
	if end-begin != len("cell") || end > i || !hasFold(t, begin, "cell") {
		return false
	}
	words, size := 0, 0
	for _, c := range []byte(t[end:i]) {
		if isDigitByte(c) || c == '\'' || c == '"' && words > 0 {
			return true
		}
		if !isLetterByte(c) {
			size = 0
			continue
		}
		if size++; size == 1 {
			words++
		} else if size > len("personal") {
			return true
		}
	}
	return words > 2
}

// callsMethod reports whether t[begin:end] is the method "call" of a function in JavaScript, and what is at i is no first argument of it,
// "b.call(this, 858993459)", or the method "cell" of a sheet.
func callsMethod(t string, begin, end, i int) bool {
	if begin > 1 && t[begin-2:begin] == "__" && strings.HasPrefix(t[end:], "__") {
		return true // the method of Python that makes an object a function: `validator.__call__("123-45-6789")`
	}
	if end-begin == len("call") && begin > 0 && t[begin-1] == '_' && end < i && t[end] == '(' {
		return true // a function whose name ends in it: `assert_any_call("`
	}
	if end-begin != len("call") || begin == 0 || t[begin-1] != '.' || end >= i || t[end] != '(' {
		return false
	}
	return hasFold(t, begin, "cell") || hasFold(t, begin, "call") && strings.ContainsAny(t[end:i], ",)")
}

// findWordBefore finds the next word before the place, and whether it has a character outside ASCII: every such
// character counts as a letter here, which only makes words longer.
func (w *precedingWords) findWordBefore() (begin, end int, wide bool) {
	if w.end > w.first { // a loop over bytes would mispredict the ends of words
		end = w.end - bits.LeadingZeros64(w.bits)
		rest := w.bits << ((w.end - end) & 63)
		if begin = end - bits.LeadingZeros64(^rest); begin > w.first {
			w.bits = rest << ((end - begin) & 63)
			return begin, end, false
		}
		w.first = w.end
	}
	t, i := w.text, w.end
	for i > w.low && class[t[i-1]]&(isLetter|isWide|isDigit) == 0 {
		i--
	}
	end = i
	all := uint8(0)
	for i > w.low && class[t[i-1]]&(isLetter|isWide|isDigit) != 0 {
		i--
		all |= class[t[i]]
	}
	if i == w.low && w.low > 0 {
		return i, i, false
	}
	return i, end, all&isWide != 0
}

// markLetters sets the highest bit of each of eight ASCII bytes that is a letter or a digit. The other bits are undefined.
func markLetters(w uint64) uint64 {
	l := w | 0x20*lowest
	alpha := (l + (0x80-'a')*lowest) ^ (l + (0x7F-'z')*lowest)
	number := (w + (0x80-'0')*lowest) ^ (w + (0x7F-'9')*lowest)
	return alpha | number
}
