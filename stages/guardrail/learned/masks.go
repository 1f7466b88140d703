package learned

import "encoding/binary"

// chunkBytes is how many bytes have one mask.
const chunkBytes = 64

// chunkMasks has the masks of some chunks in a row: which bytes are of classWord, and which of classSign, the first in the lowest
// bit. markWords takes a tenth of the time of computeMasks, which is its plain twin.
type chunkMasks struct {
	words, signs [16]uint64
}

// load computes the masks of the first chunks of b, which is not empty. n is how many there are; the last chunk of a text may be
// shorter, and zeros follow it. spaced is false if one has a byte of classLead.
func (m *chunkMasks) load(b []byte) (n int, spaced bool) {
	n = min(len(b)/chunkBytes, len(m.words))
	switch {
	case n == 0:
		var tail [chunkBytes]byte
		copy(tail[:], b)
		m.words[0], m.signs[0], spaced = computeMasks(tail[:])
		return 1, spaced
	case readsChunks:
		return n, markWords(&m.words[0], &m.signs[0], &b[0], n)
	}
	for k := range n {
		if m.words[k], m.signs[k], spaced = computeMasks(b[k*chunkBytes:]); !spaced {
			return 0, false
		}
	}
	return n, true
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// computeMasks returns which of 64 bytes are of classWord and of classSign, the first in the lowest bit. ok is false if
// one is of classLead.
func computeMasks(b []byte) (words, signs uint64, ok bool) {
	_ = b[63]
	leads := uint64(0)
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low, high := x&^highBits, x&highBits
		letters := (low + (0x80-'a')*lowBits) &^ (low + (0x7f-'z')*lowBits)
		digits := (low + (0x80-'0')*lowBits) &^ (low + (0x7f-'9')*lowBits)
		rest := (low ^ '_'*lowBits) + 0x7f*lowBits // the highest bit is 0 for an underscore
		word := (letters|digits|^rest)&highBits | high
		leads |= (low + (0x80-0x63)*lowBits) & high
		percent, ampersand, backslash := low^'%'*lowBits, low^'&'*lowBits, low^'\\'*lowBits
		sign := ^((percent + 0x7f*lowBits) & (ampersand + 0x7f*lowBits) & (backslash + 0x7f*lowBits)) & highBits &^ high
		words |= word >> 7 * gather >> 56 << i
		signs |= sign >> 7 * gather >> 56 << i
	}
	return words, signs, leads == 0
}

// gather collects the lowest bits of eight bytes in the highest byte of a product.
const gather = 0x0102040810204080
