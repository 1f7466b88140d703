package learned

import (
	"encoding/binary"
	"math/bits"
)

// The gate's tables are small, so that they stay in the processor's caches.
const (
	gateWordBits = 15
	gatePairBits = 16
	gateWords    = 1 << gateWordBits
	gatePairs    = 1 << gatePairBits
)

// BlockBytes is the length of a block. A window is two blocks in a row, so that windows overlap by half.
const BlockBytes = 200

// The gate adds up what words and pairs of words say, and begins again where the sum is no longer above zero. A block
// passes by the highest sum in it.

// A Block is a stretch of normalised text, from word to word.
type Block struct {
	Start, End int32
	peak       int32  // the highest sum of words in a row
	long       uint16 // words that may be codes
	short      uint16 // words of one to four characters with a digit, or of one character
	signs      uint16 // of escapes
}

// Gate chooses the windows of a long text that are worth a full look.
type Gate struct {
	threshold int32
	words     [gateWords]int8
	pairs     [gatePairs]int8
}

// longWord is how long a word must be to hide others.
const longWord = 16

// Scan appends the blocks of a normalised text.
func (g *Gate) Scan(dst []Block, b []byte) []Block {
	var k Block
	before, sum := uint32(0), int32(0)
	limit := int32(BlockBytes)
	for i := 0; i < len(b); {
		start := i
		var h uint32
		switch class := classes[b[i]]; {
		case class == classWord && i+8 <= len(b):
			x := binary.LittleEndian.Uint64(b[i:])
			if n := wordLength(x); n < 8 {
				h = hashShort(x, n)
				i += n
				break
			}
			for i += 8; i < len(b) && classes[b[i]] == classWord; i++ {
			}
			h = hashBytes(b, start, i)
		case class == classWord:
			for i++; i < len(b) && classes[b[i]] == classWord; i++ {
			}
			h = hashBytes(b, start, i)
		case class == classLead:
			i = endOfRune(b, i)
			h = hashBytes(b, start, i)
		default:
			if i++; class == classSign {
				k.signs++
			}
			continue
		}
		sum = max(0, sum+int32(g.words[h>>(32-gateWordBits)])+int32(g.pairs[pair(before, h)>>(32-gatePairBits)]))
		k.peak = max(k.peak, sum)
		before = h
		switch size := i - start; {
		case size >= longWord:
			k.long++
		case size == 1 || size <= 8 && b[start] <= '9' || size == 2 && isHex(b[start]) && isHex(b[start+1]):
			k.short++
		}
		if int32(i) >= limit {
			k.End = int32(i)
			dst = append(dst, k)
			k = Block{Start: int32(i)}
			limit = int32(i) + BlockBytes
		}
	}
	if int(k.Start) < len(b) {
		k.End = int32(len(b))
		dst = append(dst, k)
	}
	return dst
}

func isHex(c byte) bool { return c-'0' < 10 || c-'a' < 6 }

// Signs of hidden text in one block.
const (
	manyShort = 10
	manySigns = 5
)

// Encodes reports a block that may hide another text in codes.
func (k *Block) Encodes() bool { return k.long > 0 || k.short >= manyShort || k.signs >= manySigns }

// Passes reports whether the window that begins with block i is worth a full look.
func (g *Gate) Passes(blocks []Block, i int) bool {
	return blocks[i].peak >= g.threshold || i+1 < len(blocks) && blocks[i+1].peak >= g.threshold
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// wordLength returns how many of the eight bytes of x, the lowest first, are of classWord.
func wordLength(x uint64) int {
	low, high := x&^highBits, x&highBits
	letters := (low + (0x80-'a')*lowBits) &^ (low + (0x7f-'z')*lowBits)
	digits := (low + (0x80-'0')*lowBits) &^ (low + (0x7f-'9')*lowBits)
	underscores := ^((low ^ '_'*lowBits) + 0x7f*lowBits)
	leads := low + (0x80-0x63)*lowBits
	word := (letters|digits|underscores)&^high | high&^leads
	return bits.TrailingZeros64(^word&highBits) / 8
}
