package learned

import (
	"encoding/binary"
	"math/bits"
)

// Scan appends the blocks of a normalised text.
func (g *Gate) Scan(dst []Block, b []byte) []Block {
	if out, ok := g.scanSpaced(dst, b); ok {
		return out
	}
	return g.scanRunes(dst, b)
}

// scanRunes is Scan for texts of all scripts, and the plain twin of scanSpaced.
func (g *Gate) scanRunes(dst []Block, b []byte) []Block {
	var k Block
	before, sum := uint32(0), int32(0)
	limit := int32(BlockBytes)
	for i := 0; i < len(b); {
		start := i
		var h uint32
		switch class := classes[b[i]]; {
		case class == classWord:
			for i++; i < len(b) && classes[b[i]] == classWord; i++ {
			}
			h = hashBytes(b, start, i)
		case class == classLead:
			i = findRuneEnd(b, i)
			h = hashBytes(b, start, i)
		default:
			if i++; class == classSign {
				k.signs++
			}
			continue
		}
		weight := int32(g.words[h>>(32-gateWordBits)])
		if weight == marksNoun {
			opens := false
			weight, opens = g.readNoun(h, b, start)
			k.open = k.open || opens
		}
		sum = max(0, sum+weight+int32(g.pairs[hashPair(before, h)>>(32-gatePairBits)]))
		k.peak = max(k.peak, sum)
		before = h
		switch size := i - start; {
		case size >= longWord:
			k.addLongWord(start, i)
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

// scanSpaced is Scan for texts whose scripts separate words by spaces; ok is false for others. It finds the words of 64
// bytes at once, as the edges in a mask of their bytes, so that few branches depend on the text:
// BenchmarkAttackRules4KB/gate takes half the time of a loop over the bytes. TestTheGateReadsWordsAsItsTwin compares it
// with scanRunes.
func (g *Gate) scanSpaced(dst []Block, b []byte) (out []Block, ok bool) {
	var (
		s     = gateScan{g: g, b: b, limit: BlockBytes}
		edges [128]int32 // alternately starts and ends of words
		n     int
		last  uint64 // 1: the chunk before ends in a word
		masks chunkMasks
	)
	for at := 0; at < len(b); {
		chunks, ok := masks.load(b[at:])
		if !ok {
			return dst, false
		}
		for k, words := range masks.words[:chunks] {
			for e := words ^ (words<<1 | last); e != 0; e &= e - 1 {
				edges[n&127] = int32(at + bits.TrailingZeros64(e))
				n++
			}
			last = words >> 63
			dst = s.addWords(dst, edges[:n&^1], at, masks.signs[k])
			edges[0] = edges[max(0, n-1)]
			n &= 1
			at += chunkBytes
		}
	}
	if n == 1 { // the text ends in a word
		edges[1] = int32(len(b))
		dst = s.addWords(dst, edges[:2], len(b), 0)
	}
	if int(s.k.Start) < len(b) {
		s.k.End = int32(len(b))
		dst = append(dst, s.k)
	}
	return dst, true
}

// gateScan is the state of scanSpaced.
type gateScan struct {
	g      *Gate
	b      []byte
	k      Block
	before uint32 // hash of the last word
	sum    int32
	limit  int32
}

// addWords adds the words between edges, and the signs of the chunk at an offset, in which the words end.
func (s *gateScan) addWords(dst []Block, edges []int32, at int, signs uint64) []Block {
	g, b, k := s.g, s.b, &s.k
	sum, before := s.sum, s.before
	for ; len(edges) > 1; edges = edges[2:] {
		start, end := int(edges[0]), int(edges[1])
		size := end - start
		var h uint32
		if size <= 8 && start+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[start:])
			h = hashShort(x, size)
			k.short += uint16(shortSizes[size]&shortFirst[byte(x)]&(shortFirst[byte(x>>8)]|^uint8(shortPair))+7) >> 3
		} else {
			h = hashBytes(b, start, end)
			if size >= longWord {
				k.addLongWord(start, end)
			} else if size == 1 || size <= 8 && b[start] <= '9' || size == 2 && isHex(b[start]) && isHex(b[start+1]) {
				k.short++
			}
		}
		weight := int32(g.words[h>>(32-gateWordBits)])
		if weight == marksNoun {
			opens := false
			weight, opens = g.readNoun(h, b, start)
			k.open = k.open || opens
		}
		sum = max(0, sum+weight+int32(g.pairs[hashPair(before, h)>>(32-gatePairBits)]))
		k.peak = max(k.peak, sum)
		before = h
		if int32(end) >= s.limit {
			here := ^uint64(0)
			if end-at < 64 {
				here = 1<<max(0, end-at) - 1
			}
			k.signs += uint16(bits.OnesCount64(signs & here))
			signs &^= here
			k.End = int32(end)
			dst = append(dst, *k)
			*k = Block{Start: int32(end)}
			s.limit = int32(end) + BlockBytes
		}
	}
	k.signs += uint16(bits.OnesCount64(signs))
	s.sum, s.before = sum, before
	return dst
}

// addLongWord records a word that may be encoded text.
func (k *Block) addLongWord(start, end int) {
	if k.long.end == 0 {
		k.long.start = int32(start)
	}
	k.long.end = int32(end)
}

// Kinds of short words that count, as bits: one character, up to eight that start with a digit, two hexadecimal digits. A word is
// of the kinds that its length and its first characters share.
const (
	shortSingle = 1 << iota
	shortDigit
	shortPair
)

var shortSizes = [9]uint8{
	1: shortSingle | shortDigit, 2: shortDigit | shortPair,
	3: shortDigit, 4: shortDigit, 5: shortDigit, 6: shortDigit, 7: shortDigit, 8: shortDigit,
}

var shortFirst = func() (f [256]uint8) {
	for c := range f {
		f[c] = shortSingle
		if c <= '9' {
			f[c] |= shortDigit
		}
		if isHex(byte(c)) {
			f[c] |= shortPair
		}
	}
	return f
}()
