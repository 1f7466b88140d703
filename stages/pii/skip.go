package pii

import "math/bits"

// skip answers where the first byte of a set stands, from i on. Most of a text
// is not of the set. lower says that the set has no small letter, nor anything else that
// small takes for one.
func skip(t string, i int, set *[256]uint8, lower bool) int {
	if i < len(t) && set[t[i]] != 0 {
		return i
	}
	for len(t)-i >= 8 {
		w := t[i : i+8]
		if lower && small(eight(w)) {
			i += 8
			continue
		}
		if set[w[0]]|set[w[1]]|set[w[2]]|set[w[3]]|set[w[4]]|set[w[5]]|set[w[6]]|set[w[7]] != 0 {
			break
		}
		i += 8
	}
	if len(t)-i >= 8 { // which one it is cannot be guessed, so no branch asks
		w := t[i : i+8]
		return i + bits.TrailingZeros8(set[w[0]]|set[w[1]]<<1|set[w[2]]<<2|set[w[3]]<<3|set[w[4]]<<4|set[w[5]]<<5|set[w[6]]<<6|set[w[7]]<<7)
	}
	for i < len(t) && set[t[i]] == 0 {
		i++
	}
	return i
}

// small reports that eight bytes are small letters, the signs behind them in ASCII, spaces, or
// control characters: most of prose is.
func small(w uint64) bool {
	const each = 0x0101010101010101
	above := w + (0x80-'a')*each // has the highest bit of each byte from 'a' on
	below := (0x80+' ')*each - w // and this of each byte up to the space
	return (above|below)&^w&(0x80*each) == 0x80*each
}

// noneSmall reports that a set has nothing that small lets through.
func noneSmall(set *[256]uint8) bool {
	for c := range 0x80 {
		if set[c] != 0 && (c <= ' ' || c >= 'a') {
			return false
		}
	}
	return true
}
