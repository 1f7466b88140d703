package guardrail

import (
	"bytes"
	"unicode/utf8"
)

// turned maps letters that look like Latin letters upside down. Those in ASCII count only beside others.
var turned = map[rune]byte{
	'ɐ': 'a',
	'ɔ': 'c',
	'ǝ': 'e',
	'ɟ': 'f',
	'ƃ': 'g',
	'ɥ': 'h',
	'ᴉ': 'i',
	'ı': 'i',
	'ɾ': 'j',
	'ʞ': 'k',
	'ן': 'l',
	'ɯ': 'm',
	'ɹ': 'r',
	'ʇ': 't',
	'ʌ': 'v',
	'ʍ': 'w',
	'ʎ': 'y',
	'q': 'b',
	'p': 'd',
	'd': 'p',
	'b': 'q',
	'u': 'n',
	'n': 'u',
}

// minTurned is how many such letters outside ASCII a text must have.
const minTurned = 5

// appendTurned appends an upside-down text, turned round from its end. It appends nothing if the text is not upside down.
func appendTurned(dst, norm []byte) []byte {
	n := 0
	for i := 0; i < len(norm) && n < minTurned; {
		r, size := utf8.DecodeRune(norm[i:])
		if r >= utf8.RuneSelf && turned[r] != 0 {
			n++
		}
		i += size
	}
	if n < minTurned {
		return dst
	}
	for len(norm) > 0 {
		r, size := utf8.DecodeLastRune(norm)
		if c, ok := turned[r]; ok {
			dst = append(dst, c)
		} else {
			dst = append(dst, norm[len(norm)-size:]...)
		}
		norm = norm[:len(norm)-size]
	}
	return dst
}

// minBroken is how many words a text must break at line ends to be judged without
// the breaks.
const minBroken = 2

// appendUnbroken appends a text in which words were hyphenated at line ends, with these words joined. It appends nothing if
// the text has none.
func appendUnbroken(dst, norm []byte) []byte {
	sign := []byte("-\n")
	if bytes.Count(norm, sign) < minBroken {
		return dst
	}
	for {
		i := bytes.Index(norm, sign)
		if i < 0 {
			return append(dst, norm...)
		}
		dst = append(dst, norm[:i]...)
		norm = norm[i+len(sign):]
	}
}
