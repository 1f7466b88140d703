package pii

import "math/bits"

// skip answers where the first byte of a set stands, from i on. Most of a text
// is not of the set.
func skip(t string, i int, set *[256]uint8) int {
	if i < len(t) && set[t[i]] != 0 {
		return i
	}
	for len(t)-i >= 8 {
		w := t[i : i+8]
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
