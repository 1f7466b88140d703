package pii

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// lexicon maps lower-case words to what they say.
var lexicon map[string]tells

// tight holds the words of scripts that are written without spaces, which are
// looked for anywhere in a run of letters.
var tight []string

func init() {
	lexicon = map[string]tells{}
	for i := range builtin {
		d := &builtin[i]
		for _, w := range d.words {
			t := lexicon[w]
			t.pro.add(i)
			lexicon[w] = t
			if r, _ := utf8.DecodeRuneInString(w); unspaced(r) && !slices.Contains(tight, w) {
				tight = append(tight, w)
			}
		}
		for _, w := range d.hints {
			t := lexicon[w]
			t.hint.add(i)
			lexicon[w] = t
		}
		for _, w := range d.against {
			t := lexicon[w]
			t.contra.add(i)
			lexicon[w] = t
		}
	}
}

// heard tells most words from those that an engine listens to: a bit for each
// of these by a hash of its length and its outer letters, whatever their case.
type heard [1 << (heardBits - 6)]uint64

const heardBits = 14

// hashed is the place of a word without a character outside ASCII.
func hashed(w string) uint32 {
	n := len(w)
	x := uint32(w[0]&31) | uint32(w[min(1, n-1)]&31)<<5 | uint32(w[max(0, n-2)]&31)<<10 | uint32(w[n-1]&31)<<15 | uint32(n&0xFFF)<<20
	return x * 0x9E3779B1 >> (32 - heardBits)
}

func (h *heard) has(w string) bool {
	k := hashed(w)
	return h[k>>6]>>(k&63)&1 != 0
}

// listen takes in the words of a row. Those with a character outside ASCII are
// always looked up.
func (h *heard) listen(d *detector) {
	for _, list := range [...][]string{d.words, d.hints, d.against} {
		for _, w := range list {
			k := hashed(w)
			h[k>>6] |= 1 << (k & 63)
		}
	}
}

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
		switch w := &s.told[k]; {
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
	t, low, words := s.v.s, s.v.back(i, contextBytes), &s.e.words
	s.tellers = 0
	for n := 0; i > low && n < contextWords; n++ {
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
		if all&isWide == 0 && !words.has(t[i:end]) {
			continue
		}
		if w, ok := lookup(t[i:end]); ok {
			s.told[s.tellers] = w
			s.tellers++
		}
	}
}

// lookup finds a word in the lexicon, whatever its case.
func lookup(w string) (tells, bool) {
	var low [2 * contextBytes]byte
	b := low[:0]
	wide := false
	for k := 0; k < len(w) && len(b) < contextBytes; k++ {
		c := w[k]
		if c >= utf8.RuneSelf {
			wide = true
			r, n := utf8.DecodeRuneInString(w[k:])
			b = utf8.AppendRune(b, unicode.ToLower(r))
			k += n - 1
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	if t, ok := lexicon[string(b)]; ok || !wide {
		return t, ok
	}
	for _, k := range tight {
		if strings.Contains(w, k) {
			return lexicon[k], true
		}
	}
	return tells{}, false
}
