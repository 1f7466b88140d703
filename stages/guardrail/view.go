package guardrail

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/match"
)

// view is a text in the form that detectors read: lower case, look-alikes and hidden characters resolved, split into words.
// All detectors of a check share one view, which is reused.
type view struct {
	raw   string
	norm  []byte
	off   []int32 // offset in raw of each byte of norm; empty: the same offsets
	words []word  // once spell was called
	spelt bool
	hits  []match.Hit // of the literals
	ascii bool
	pace  *pace // of the check; optional
	tags  int   // characters of the invisible tag alphabet

	cyrillic bool // the text has a word of another alphabet that is not made of look-alikes
}

// word is a run of letters and digits in norm. It includes inner apostrophes, but its hash ignores them.
type word struct {
	start, end int32
	hash       uint32
	id         uint16 // in the lexicon; 0: unknown
	stop       bool   // a sentence ends before it
	digits     bool   // contains digits beside letters
}

const (
	hashSeed  = 2166136261
	hashPrime = 16777619
)

// Kinds of bytes in norm.
const (
	kindOther = iota
	kindWord
	kindApostrophe
	kindStop
)

var kinds = func() (k [256]uint8) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
			k[c] = kindWord
		case c == '\'':
			k[c] = kindApostrophe
		case c == '.' || c == '!' || c == '?':
			k[c] = kindStop
		}
	}
	return k
}()

// read builds the view of a text.
func (v *view) read(raw string) {
	v.raw, v.norm, v.off, v.words, v.hits, v.tags, v.cyrillic = raw, v.norm[:0], v.off[:0], v.words[:0], v.hits[:0], 0, false
	v.spelt = false
	if cap(v.norm) < len(raw) {
		v.norm = make([]byte, 0, len(raw)+len(raw)/4)
	}
	v.ascii = true
	norm := v.norm[:len(raw)]
	for from := 0; from < len(raw) && v.ascii && v.pace.spendSteps(min(len(raw)-from, paceSteps)); from += paceSteps {
		v.ascii = lowerASCII(norm[from:], raw[from:min(len(raw), from+paceSteps)])
	}
	if v.pace.isStopped() {
		v.norm = v.norm[:0]
		return
	}
	if v.ascii {
		v.norm = norm
	} else {
		v.fold()
	}
}

// ensureWords splits the text into words, once and on demand: few detectors need the words of an answer.
func (v *view) ensureWords() {
	if !v.spelt {
		v.spelt = true
		v.split(0)
	}
}

// fold fills norm and its offsets for a text outside ASCII.
func (v *view) fold() {
	raw, from := v.raw, 0 // from: start of the current word in norm
	latin, other := 0, 0  // letters of the word
	for i := 0; i < len(raw) && v.pace.spendSteps(1); {
		if raw[i] < utf8.RuneSelf {
			to := min(findNonASCII(raw, i), i+paceSteps)
			from, latin, other = v.foldASCII(i, to, from, latin, other)
			v.pace.spendSteps(to - i - 1)
			i = to
			continue
		}
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r >= 0xe0020 && r <= 0xe007e {
			if v.tags == 0 && len(v.norm) > 0 { // hidden words start here, whatever precedes them
				v.foldLookalikes(from, latin, other)
				latin, other, from = 0, 0, len(v.norm)+1
				v.norm, v.off = append(v.norm, '.', ' '), append(v.off, int32(i), int32(i))
			}
			v.tags++
		}
		n := len(v.norm)
		v.norm = appendFolded(v.norm, r)
		for k := n; k < len(v.norm); k++ {
			v.off = append(v.off, int32(i))
		}
		for k := n; k < len(v.norm); k++ {
			switch c := v.norm[k]; {
			case c >= utf8.RuneSelf:
				other++
			case kinds[c] == kindWord:
				latin++
			case kinds[c] != kindApostrophe:
				v.foldLookalikes(from, latin, other)
				latin, other, from = 0, 0, k+1
			}
		}
		i += size
	}
	v.foldLookalikes(from, latin, other)
	v.off = append(v.off, int32(len(raw)))
}

// foldASCII appends raw[i:to], which is ASCII. It takes and returns the start of the current word in norm, and its counts
// of Latin and other letters.
func (v *view) foldASCII(i, to, from, latin, other int) (int, int, int) {
	at := len(v.norm)
	for ; i < to && (other > 0 || latin > 0 || from < at); i++ { // the rest of a word
		l := lowered[v.raw[i]]
		if k := kinds[l]; k == kindWord {
			latin++
		} else if k != kindApostrophe {
			v.foldLookalikes(from, latin, other)
			latin, other, from = 0, 0, len(v.norm)+1
		}
		v.norm, v.off = append(v.norm, l), append(v.off, int32(i))
		at = len(v.norm)
	}
	n := to - i
	v.norm, v.off = slices.Grow(v.norm, n)[:at+n], slices.Grow(v.off, n)[:at+n]
	lowerASCII(v.norm[at:], v.raw[i:to])
	fillSequence(v.off[at:], int32(i))
	if n == 0 {
		return from, latin, other
	}
	from = at + n
	for from > at && (kinds[v.norm[from-1]] == kindWord || kinds[v.norm[from-1]] == kindApostrophe) {
		from--
		if kinds[v.norm[from]] == kindWord {
			latin++
		}
	}
	return from, latin, other
}

// fillSequence fills a list with consecutive numbers from n. Writing eight at a time takes half the time of a loop.
func fillSequence(list []int32, n int32) {
	for ; len(list) >= 8; n += 8 {
		l := list[:8]
		l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7] = n, n+1, n+2, n+3, n+4, n+5, n+6, n+7
		list = list[8:]
	}
	for k := range list {
		list[k] = n + int32(k)
	}
}

// split splits norm into words, from the end of a word or from the beginning.
func (v *view) split(from int) {
	b, stop := v.norm, from == 0
	for i := from; i < len(b) && v.pace.spendSteps(1); {
		k := kinds[b[i]]
		if k != kindWord {
			if k == kindStop && (i+1 == len(b) || kinds[b[i+1]] != kindWord) || b[i] == '\n' && i > 0 && endsLine(b[i-1]) {
				stop = true
			}
			i++
			continue
		}
		start, h, digits, letters := i, uint32(hashSeed), false, false
		for i < len(b) {
			c := b[i]
			if kinds[c] == kindWord {
				h = (h ^ uint32(c)) * hashPrime
				if c-'0' < 10 {
					digits = true
				} else {
					letters = true
				}
			} else if c != '\'' || i+1 >= len(b) || kinds[b[i+1]] != kindWord || i == start {
				break
			}
			i++
		}
		v.words = append(v.words, word{start: int32(start), end: int32(i), hash: h, stop: stop, digits: digits && letters})
		stop = false
	}
}

// endsLine reports whether a sentence ends with a line that ends with c: an empty line, or a line of code or markup. A line
// of prose continues in the next line.
func endsLine(c byte) bool {
	switch c {
	case '\n', '{', '}', ';', ')', ']', '>':
		return true
	}
	return false
}

// findRawSpan returns the bytes of raw from which a stretch of norm comes: whole characters, with hidden characters between
// them.
func (v *view) findRawSpan(start, end int) (int, int) {
	if v.ascii {
		return start, end
	}
	if end <= start {
		return int(v.off[start]), int(v.off[start])
	}
	last := int(v.off[end-1])
	_, size := utf8.DecodeRuneInString(v.raw[last:])
	return int(v.off[start]), last + size
}

// isBoundary reports whether no word extends over the offset in norm. Scripts without spaces have no words, so every offset
// is a boundary.
func (v *view) isBoundary(at int) bool {
	if at == 0 || at == len(v.norm) || kinds[v.norm[at-1]] != kindWord || kinds[v.norm[at]] != kindWord {
		return true
	}
	if v.norm[at] < utf8.RuneSelf && v.norm[at-1] < utf8.RuneSelf {
		return false
	}
	before, _ := utf8.DecodeLastRune(v.norm[:at])
	after, _ := utf8.DecodeRune(v.norm[at:])
	return isUnspaced(before) || isUnspaced(after)
}

// isUnspaced reports whether r belongs to a script without spaces between words.
func isUnspaced(r rune) bool {
	return r >= 0xe00 &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
