package guardrail

import (
	"encoding/binary"
	"unicode/utf8"
)

var lowered = func() (l [256]byte) {
	for c := range l {
		l[c] = lowerByte(byte(c))
	}
	return l
}()

// lowerASCII writes s in lower case to dst, and reports whether it is ASCII.
func lowerASCII(dst []byte, s string) bool {
	for len(s) >= 8 && len(dst) >= 8 {
		x := loadEight(s)
		if x&highBits != 0 {
			return false
		}
		binary.LittleEndian.PutUint64(dst, lowerEight(x))
		dst, s = dst[8:], s[8:]
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return false
		}
		dst[i] = lowered[c]
	}
	return true
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// loadEight returns the first eight bytes of s, the first one lowest.
func loadEight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// lowerEight returns eight bytes of ASCII in lower case.
func lowerEight(x uint64) uint64 {
	upper := (x + (0x80-'A')*lowBits) &^ (x + (0x7f-'Z')*lowBits) & highBits
	return x | upper>>2
}

// findNonASCII returns the index of the first byte outside ASCII from i.
func findNonASCII(s string, i int) int {
	for i+8 <= len(s) && loadEight(s[i:])&highBits == 0 {
		i += 8
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}
