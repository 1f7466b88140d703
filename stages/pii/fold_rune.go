package pii

import (
	"unicode"
	"unicode/utf8"
)

// foldRune returns the ASCII form of r, whether r is hidden and must be dropped, and whether it has an ASCII form.
func foldRune(r rune) (c byte, drop, ok bool) {
	switch {
	case r == 0x00AD || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F || r >= 0xFE00 && r <= 0xFE0F,
		r == 0xFEFF:
		return 0, true, false
	case r == 0x00B7: // the middle dot
		return '.', false, true
	case r == 0x00A0 || r == 0x1680 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000:
		return ' ', false, true
	case r >= 0x2010 && r <= 0x2015 || r == 0x2212 || r == 0xFE58 || r == 0xFE63:
		return '-', false, true
	case r >= 0xFF01 && r <= 0xFF5E:
		return byte(r - 0xFF01 + '!'), false, true
	case r < 0x0660 || r >= 0x3000 && r < 0xA620:
		return 0, false, false
	case !unicode.IsDigit(r):
		return 0, false, false
	}
	return parseDigit(r) + '0', false, true
}

// parseDigit returns the value of a character of category Nd. Unicode keeps every
// set of decimal digits together and in order, from zero.
func parseDigit(r rune) byte {
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	return 0
}

// foldLead marks the first bytes of UTF-8 sequences that foldRune may change, so that most text outside ASCII is skipped
// without decoding.
var foldLead = makeFoldLead()

func makeFoldLead() (t [256]bool) {
	var b [utf8.UTFMax]byte
	for r := rune(utf8.RuneSelf); r <= 0x1FFFF; r++ {
		if _, drop, ok := foldRune(r); drop || ok {
			utf8.EncodeRune(b[:], r)
			t[b[0]] = true
		}
	}
	return t
}
