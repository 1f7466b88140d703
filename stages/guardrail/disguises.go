package guardrail

import "unicode/utf8"

// appendRot13 appends the text with letters rotated by thirteen places.
func appendRot13(dst, norm []byte) []byte {
	for _, c := range norm {
		if c-'a' < 26 {
			c = 'a' + (c-'a'+13)%26
		}
		dst = append(dst, c)
	}
	return dst
}

// appendReversed appends the characters of a text in reverse order.
func appendReversed(dst, norm []byte) []byte {
	for len(norm) > 0 {
		_, size := utf8.DecodeLastRune(norm)
		dst = append(dst, norm[len(norm)-size:]...)
		norm = norm[:len(norm)-size]
	}
	return dst
}

// leet are digits and signs written for letters.
var leet = [256]byte{
	'0': 'o',
	'1': 'i',
	'3': 'e',
	'4': 'a',
	'5': 's',
	'7': 't',
	'8': 'b',
	'9': 'g',
	'@': 'a',
	'$': 's',
	'!': 'i',
	'|': 'i',
	'+': 't',
}

// appendLeet appends a text with digits replaced by the letters that they stand for. A 1 stands for i, or for l if that
// makes a word of the rules.
func (l *lexicon) appendLeet(dst, norm []byte) []byte {
	for i := 0; i < len(norm); {
		from, ones := len(dst), 0
		for ; i < len(norm); i++ {
			c := unleetByte(norm, i)
			if kinds[c] != kindWord {
				break
			}
			if norm[i] == '1' {
				ones++
			}
			dst = append(dst, c)
		}
		if ones > 0 && ones <= maxOnes {
			l.replaceOnes(dst[from:], norm[i-(len(dst)-from):i], ones)
		}
		if i < len(norm) {
			dst = append(dst, unleetByte(norm, i))
			i++
		}
	}
	return dst
}

// maxOnes bounds how many ones of a word are tried both ways.
const maxOnes = 4

// replaceOnes replaces some ones of a word by l, if that makes a word of the rules.
func (l *lexicon) replaceOnes(word, raw []byte, ones int) {
	for choice := range 1 << ones {
		h, k := uint32(hashSeed), 0
		for i := range word {
			if raw[i] == '1' {
				word[i] = 'i'
				if choice>>k&1 == 1 {
					word[i] = 'l'
				}
				k++
			}
			h = (h ^ uint32(word[i])) * hashPrime
		}
		if l.phrased[h] || l.findID(h, word) != 0 {
			return
		}
	}
	for i := range word {
		if raw[i] == '1' {
			word[i] = 'i'
		}
	}
}

// unleetByte returns the letter that a byte stands for, or the byte.
func unleetByte(norm []byte, i int) byte {
	c := norm[i]
	if l := leet[c]; l != 0 && (c-'0' < 10 || i+1 < len(norm) && (kinds[norm[i+1]] == kindWord || leet[norm[i+1]] != 0)) {
		return l
	}
	return c
}

// hasLeetWord reports whether digits or signs spell a word of the rules, or of their phrases,
// beside letters. A lone number does not count: 15 would be "is".
func (l *lexicon) hasLeetWord(norm []byte) bool {
	for i := 0; i < len(norm); i++ {
		if leet[norm[i]] == 0 {
			continue
		}
		from := i
		for from > 0 && (kinds[norm[from-1]] == kindWord || norm[from-1] == '\'') {
			from-- // no sign precedes it: the scan would have met it first
		}
		var word [maxLeet]byte
		n, h, letters, spelt := 0, uint32(hashSeed), false, false
		for i = from; i < len(norm); i++ {
			c := unleetByte(norm, i)
			if c == '\'' {
				continue
			}
			if kinds[c] != kindWord {
				break
			}
			letters, spelt = letters || c == norm[i], spelt || c != norm[i]
			h = (h ^ uint32(c)) * hashPrime
			if n < maxLeet {
				word[n] = c
			}
			n++
		}
		if letters && spelt && n <= maxLeet && (l.phrased[h] || l.findID(h, word[:n]) != 0) {
			return true
		}
	}
	return false
}

// maxLeet is longer than every word of the rules.
const maxLeet = 64

// appendWordsReversed appends each word spelled backwards, with the words in their order.
func appendWordsReversed(dst []byte, v *view) []byte {
	for i := range v.words {
		w := &v.words[i]
		dst = append(dst, ' ')
		dst = appendReversed(dst, v.norm[w.start:w.end])
	}
	return dst
}

// appendJoined appends a text in which single letters with the same sign between them are joined to words; another sign, or
// two or more, separate words.
func appendJoined(dst []byte, v *view) []byte {
	for i := 0; i < len(v.words); i++ {
		w := &v.words[i]
		dst = append(dst, ' ')
		dst = append(dst, v.norm[w.start:w.end]...)
		sign := byte(0)
		for isSingle(w) && i+1 < len(v.words) {
			next := &v.words[i+1]
			gap := v.norm[w.end:next.start]
			if !isSingle(next) || len(gap) != 1 || sign != 0 && gap[0] != sign {
				break
			}
			sign = gap[0]
			dst = append(dst, v.norm[next.start:next.end]...)
			w = next
			i++
		}
	}
	return dst
}

func isSingle(w *word) bool { return w.end-w.start == 1 }
