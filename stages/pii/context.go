package pii

import (
	"math/bits"
	"unicode"
)

// contextWords is how many words before a value are looked at.
const contextWords = 5

// contextBytes is how many raw bytes before a value are looked at.
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

// tells is what one word says: the types it speaks for, hints at, and speaks
// against.
type tells struct{ pro, hint, contra set }

// unspaced reports whether r belongs to a script written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// context says what the words before the folded offset i tell about d.
func (s *scan) context(i int, d *detector) verdict {
	if s.toldAt != i {
		s.toldAt = i
		s.tell(i)
	}
	for k := range s.tellers {
		switch w := s.told[k]; {
		case w.pro.has(d.row):
			return speaksFor
		case w.hint.has(d.row):
			return hints
		case w.contra.has(d.row):
			return speaksAgainst
		}
	}
	return saysNothing
}

// spokenFor reports that a word before the folded offset i makes a value of d likelier.
func (s *scan) spokenFor(i int, d *detector) bool {
	v := s.context(i, d)
	return v == speaksFor || v == hints
}

// tell looks the words before i up, the nearest first. Every character outside
// ASCII counts as a letter here, which only makes words longer.
func (s *scan) tell(i int) {
	t, low := s.v.s, s.v.back(i, contextBytes)
	s.tellers = 0
	i, n := s.tellNear(i, low)
	for ; i > low && n < contextWords; n++ {
		for i > low && class[t[i-1]]&(isLetter|isWide|isDigit) == 0 {
			i--
		}
		end := i
		all := uint8(0)
		for i > low && class[t[i-1]]&(isLetter|isWide|isDigit) != 0 {
			i--
			all |= class[t[i]]
		}
		if i == low && low > 0 || i == end {
			break
		}
		s.hear(t[i:end], all&isWide != 0)
	}
}

// nearBytes is how many bytes before a value tellNear looks at: five words are seldom longer.
const nearBytes = 48

// tellNear does the work of tell as far as the words lie whole in the next bytes before i
// and these are ASCII. It answers where tell is to go on, and how many words it has seen.
// A loop over bytes would have to guess how long each word is.
func (s *scan) tellNear(i, low int) (at, n int) {
	if i-low < nearBytes {
		return i, 0
	}
	t, first := s.v.s, i-nearBytes
	w := t[first:i]
	a, b, c, d, e, f := eight(w[:8]), eight(w[8:16]), eight(w[16:24]), eight(w[24:32]), eight(w[32:40]), eight(w[40:])
	if (a|b|c|d|e|f)&highest != 0 {
		return i, 0
	}
	// a bit for each byte of a word, the nearest highest
	m := uint64(packed(letters(a))|packed(letters(b))<<8)<<16 | uint64(packed(letters(c))|packed(letters(d))<<8|packed(letters(e))<<16|packed(letters(f))<<24)<<32
	for at = i; n < contextWords; n++ {
		end := at - bits.LeadingZeros64(m)
		m <<= (at - end) & 63
		begin := end - bits.LeadingZeros64(^m)
		if begin <= first {
			break
		}
		m <<= (end - begin) & 63
		s.hear(t[begin:end], false)
		at = begin
	}
	return at, n
}

// letters has the highest bit of each of eight ASCII bytes that is a letter or a digit;
// what the other bits are is left open.
func letters(w uint64) uint64 {
	l := w | 0x20*lowest
	letter := (l + (0x80-'a')*lowest) ^ (l + (0x7F-'z')*lowest)
	digit := (w + (0x80-'0')*lowest) ^ (w + (0x7F-'9')*lowest)
	return letter | digit
}

// hear keeps what a word says; wide is set when it has a character outside ASCII.
func (s *scan) hear(w string, wide bool) {
	if !wide && !s.e.words.has(w) {
		return
	}
	if says := lookup(w, wide); says != nil {
		s.told[s.tellers] = says
		s.tellers++
	}
}
