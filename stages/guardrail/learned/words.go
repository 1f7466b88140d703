package learned

import (
	"encoding/binary"
	"math/bits"
)

// A Word is a run of letters and digits in a normalised text. In a script without spaces each character is a word. An
// underscore between letters belongs to the word: identifiers are not words of prose.
type Word struct {
	Start, End int32
	Hash       uint32
	First      bool // begins a sentence or a line
}

// Classes of bytes.
const (
	classOther = iota
	classWord
	classLead  // of a character of three bytes or more in a script without spaces
	classStop  // ends a sentence
	classQuote // an apostrophe, which is left out of words
	classSign  // begins an escape: %41, &#65;, \u0041
)

var classes = func() (k [256]uint8) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80 && c < 0xe3:
			k[c] = classWord
		case c >= 0xe3:
			k[c] = classLead
		case c == '.' || c == '!' || c == '?' || c == '\n' || c == ':':
			k[c] = classStop
		case c == '\'':
			k[c] = classQuote
		case c == '%' || c == '&' || c == '\\':
			k[c] = classSign
		}
	}
	return k
}()

// AppendWords appends the words of a text in lower case.
func AppendWords(dst []Word, b []byte) []Word {
	if out, ok := appendSpaced(dst, b); ok {
		return out
	}
	return appendRunes(dst, b)
}

// appendSpaced is AppendWords for texts whose scripts set spaces between words; ok is false for others. It finds the words as
// Gate.scanSpaced does.
func appendSpaced(dst []Word, b []byte) (out []Word, ok bool) {
	var masks chunkMasks
	n, open := len(dst), uint64(0) // open is 1 if the chunk before ends in a word
	start, end := 0, 0             // of the word at hand, of the one before it
	first := true
	for at := 0; at < len(b); {
		chunks, ok := masks.load(b[at:])
		if !ok {
			return dst[:n], false
		}
		for _, words := range masks.words[:chunks] {
			for e := words ^ (words<<1 | open); e != 0; e &= e - 1 {
				k := bits.TrailingZeros64(e)
				if words>>k&1 != 0 {
					start = at + k
					first = first || endsSentence(b[end:start])
					continue
				}
				end = at + k
				dst = append(dst, Word{int32(start), int32(end), hashBytes(b, start, end), first})
				first = false
			}
			open = words >> 63
			at += chunkBytes
		}
	}
	if open == 1 {
		dst = append(dst, Word{int32(start), int32(len(b)), hashBytes(b, start, len(b)), first})
	}
	return dst, true
}

// endsSentence reports whether a sentence or a line ends between two words.
func endsSentence(gap []byte) bool {
	for i, c := range gap {
		if classes[c] == classStop && (c == '\n' || i+1 < len(gap)) {
			return true
		}
	}
	return false
}

// appendRunes is AppendWords for texts of all scripts, and the plain twin of appendSpaced.
func appendRunes(dst []Word, b []byte) []Word {
	first := true
	for i := 0; i < len(b); {
		start := i
		switch classes[b[i]] {
		case classWord:
			for i < len(b) && classes[b[i]] == classWord {
				i++
			}
		case classLead:
			i = findRuneEnd(b, i)
		case classStop:
			first = first || b[i] == '\n' || i+1 == len(b) || classes[b[i+1]] != classWord
			i++
			continue
		default:
			i++
			continue
		}
		dst = append(dst, Word{int32(start), int32(i), hashBytes(b, start, i), first})
		first = false
	}
	return dst
}

// findRuneEnd returns the end of the character whose lead is at i.
func findRuneEnd(b []byte, i int) int {
	i++
	for i < len(b) && b[i]&0xc0 == 0x80 {
		i++
	}
	return i
}

const (
	mix1 = 0x9e3779b97f4a7c15
	mix2 = 0xc2b2ae3d27d4eb4f
)

// hashBytes hashes b[start:end]. Most words are short.
func hashBytes(b []byte, start, end int) uint32 {
	n := end - start
	if n > 8 || start+8 > len(b) {
		return hashLong(b, start, end)
	}
	return hashShort(binary.LittleEndian.Uint64(b[start:]), n)
}

// hashShort is hashBytes for the first n of the eight bytes of v.
func hashShort(v uint64, n int) uint32 {
	v = v << (64 - 8*uint(n)) >> (64 - 8*uint(n))
	return uint32((uint64(n)*mix2 ^ v) * mix1 >> 32)
}

// hashLong is hashBytes for long words, and for those at the end of a text.
func hashLong(b []byte, start, end int) uint32 {
	h := uint64(end-start) * mix2
	for ; end-start > 8; start += 8 {
		h = (h ^ binary.LittleEndian.Uint64(b[start:])) * mix1
		h ^= h >> 29
	}
	var v uint64
	if start+8 <= len(b) {
		v = binary.LittleEndian.Uint64(b[start:]) << (64 - 8*uint(end-start)) >> (64 - 8*uint(end-start))
	} else {
		for k := end - 1; k >= start; k-- {
			v = v<<8 | uint64(b[k])
		}
	}
	h = (h ^ v) * mix1
	return uint32(h >> 32)
}

// hashPair hashes two hashes, in their order.
func hashPair(a, b uint32) uint32 { return (a*0x85ebca6b ^ b) * 0x9e3779b1 }
