package pii

import "math/bits"

// findInSet returns the index of the first byte of a set, from i. Most bytes of a text are not in the set. lower says
// that the set has no small letter, nor any other byte that small mistakes for one.
func findInSet(t string, i int, set *[256]uint8, lower bool) int {
	if i < len(t) && set[t[i]] != 0 {
		return i
	}
	for len(t)-i >= 8 {
		w := t[i : i+8]
		if lower && hasOnlySmall(loadEight(w)) {
			i += 8
			continue
		}
		if set[w[0]]|set[w[1]]|set[w[2]]|set[w[3]]|set[w[4]]|set[w[5]]|set[w[6]]|set[w[7]] != 0 {
			break
		}
		i += 8
	}
	if len(t)-i >= 8 { // which one it is cannot be predicted, so there is no branch
		w := t[i : i+8]
		return i + bits.TrailingZeros8(set[w[0]]|set[w[1]]<<1|set[w[2]]<<2|set[w[3]]<<3|set[w[4]]<<4|set[w[5]]<<5|set[w[6]]<<6|set[w[7]]<<7)
	}
	for i < len(t) && set[t[i]] == 0 {
		i++
	}
	return i
}

// hasOnlySmall reports whether eight bytes are small letters, the ASCII signs behind them, spaces, or control characters, as in
// most prose.
func hasOnlySmall(w uint64) bool {
	const each = 0x0101010101010101
	above := w + (0x80-'a')*each // has the highest bit of each byte from 'a' on
	below := (0x80+' ')*each - w // and this of each byte up to the space
	return (above|below)&^w&(0x80*each) == 0x80*each
}

// hasNoneSmall reports whether a set has no byte that hasOnlySmall accepts.
func hasNoneSmall(set *[256]uint8) bool {
	for c := range 0x80 {
		if set[c] != 0 && (c <= ' ' || c >= 'a') {
			return false
		}
	}
	return true
}

// The bytes from the digits to the '@', which include all stops of the first six types.
const nearFirst, nearLast = '0', '@'

// findNear is skip for an engine that stops only at bytes from nearFirst to nearLast. It skips a ':' at which no rule can
// match.
func (e *Engine) findNear(t string, i int) int {
	for ; len(t)-i >= 32; i += 32 {
		w := t[i : i+32]
		a, b, c, d := loadEight(w[:8]), loadEight(w[8:16]), loadEight(w[16:24]), loadEight(w[24:])
		na, nb, nc, nd, wide := markNear(a), markNear(b), markNear(c), markNear(d), a|b|c|d
		if (na|nb|nc|nd|wide)&highest == 0 {
			continue
		}
		if wide&highest != 0 {
			na, nb, nc, nd = markNear(a&^highest)&^a, markNear(b&^highest)&^b, markNear(c&^highest)&^c, markNear(d&^highest)&^d
		}
		for m := packHighBits(na) | packHighBits(nb)<<8 | packHighBits(nc)<<16 | packHighBits(nd)<<24; m != 0; m &= m - 1 {
			k := bits.TrailingZeros32(m)
			if c := w[k&31]; e.stops[c] != 0 && (c != ':' || e.needsRunAtColon(t, i+k)) {
				return i + k
			}
		}
	}
	for i < len(t) && (e.stops[t[i]] == 0 || t[i] == ':' && !e.needsRunAtColon(t, i)) {
		i++
	}
	return i
}

// needsRunAtColon reports whether a rule must run at the ':' at i.
func (e *Engine) needsRunAtColon(t string, i int) bool {
	return e.marks.findCandidates(t, i) != 0
}

// Words of eight bytes: the highest bit of each, and the lowest.
const (
	highest = 0x8080808080808080
	lowest  = 0x0101010101010101
)

// markNear sets the highest bit of each of eight ASCII bytes from nearFirst to nearLast. The other bits are undefined.
func markNear(w uint64) uint64 {
	return (w + (0x80-nearFirst)*lowest) ^ (w + (0x7F-nearLast)*lowest)
}

// packHighBits collects the highest bits of eight bytes, with the first byte's lowest.
func packHighBits(m uint64) uint32 {
	return uint32((m & highest >> 7) * 0x0102040810204080 >> 56)
}

// isAllNear reports whether findNear can search for a set.
func isAllNear(set *[256]uint8) bool {
	for c, in := range set {
		if in != 0 && (c < nearFirst || c > nearLast) {
			return false
		}
	}
	return true
}
