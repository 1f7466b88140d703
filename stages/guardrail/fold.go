package guardrail

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldedAway replaces, in a view, a character that is neither letter nor digit
// nor one of the signs that detectors use.
const foldedAway = 0x1f

// signs maps punctuation outside ASCII to its form in a view.
var signs = map[rune]byte{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'', 'ʼ': '\'', '‹': '\'', '›': '\'',
	'“': '"', '”': '"', '„': '"', '‟': '"', '″': '"', '«': '"', '»': '"', '「': '"', '」': '"', '『': '"', '』': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-',
	'।': '.', '۔': '.', '؟': '?', '¿': ' ', '¡': ' ', '、': ',', '،': ',', '；': ';', '؛': ';',
	'\u0085': '\n', '\u2028': '\n', '\u2029': '\n',
}

// latin maps letters without a decomposition to the Latin letters that people write instead.
var latin = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'ħ': "h", 'ı': "i", 'þ': "th", 'ŋ': "n",
	// Small capitals and letters of phonetic alphabets, used as look-alikes.
	'ᴀ': "a", 'ʙ': "b", 'ᴄ': "c", 'ᴅ': "d", 'ᴇ': "e", 'ꜰ': "f", 'ɢ': "g", 'ʜ': "h", 'ɪ': "i", 'ᴊ': "j", 'ᴋ': "k", 'ʟ': "l",
	'ᴍ': "m", 'ɴ': "n", 'ᴏ': "o", 'ᴘ': "p", 'ʀ': "r", 'ꜱ': "s", 'ᴛ': "t", 'ᴜ': "u", 'ᴠ': "v", 'ᴡ': "w", 'ʏ': "y", 'ᴢ': "z",
	'ɑ': "a", 'ɡ': "g", 'ɩ': "i", 'ʋ': "v", 'ꓲ': "i",
	// Letters in squares and circles that have no compatibility decomposition.
	'🅰': "a", '🅱': "b", '🅾': "o", '🅿': "p",
}

// lookalikes are letters of other alphabets that are drawn like a Latin one.
// Cyrillic, Greek, Armenian and Cherokee, after the shapes in common typefaces;
// upper case is folded before.
var lookalikes = map[rune]byte{
	'а': 'a',
	'в': 'b',
	'с': 'c',
	'ԁ': 'd',
	'е': 'e',
	'ё': 'e',
	'һ': 'h',
	'н': 'h',
	'і': 'i',
	'ї': 'i',
	'ӏ': 'l',
	'ј': 'j',
	'к': 'k',
	'м': 'm',
	'ո': 'n',
	'о': 'o',
	'р': 'p',
	'ԛ': 'q',
	'г': 'r',
	'ѕ': 's',
	'т': 't',
	'ц': 'u',
	'ѵ': 'v',
	'ԝ': 'w',
	'х': 'x',
	'у': 'y',
	'ү': 'y',
	'α': 'a',
	'β': 'b',
	'ϲ': 'c',
	'ε': 'e',
	'γ': 'y',
	'η': 'n',
	'ι': 'i',
	'κ': 'k',
	'μ': 'u',
	'ν': 'v',
	'ο': 'o',
	'ρ': 'p',
	'σ': 'o',
	'τ': 't',
	'υ': 'u',
	'χ': 'x',
	'ω': 'w',
	'ζ': 'z',
	'ա': 'w',
	'ց': 'g',
	'հ': 'h',
	'օ': 'o',
	'ս': 'u',
	'յ': 'j',
	'ք': 'p',
	'զ': 'q',
	'Ꭺ': 'a',
	'Ᏼ': 'b',
	'Ꮯ': 'c',
	'Ꭰ': 'd',
	'Ꭼ': 'e',
	'Ꮐ': 'g',
	'Ꮋ': 'h',
	'Ꭵ': 'i',
	'Ꭻ': 'j',
	'Ꮶ': 'k',
	'Ꮮ': 'l',
	'Ꮇ': 'm',
	'Ꮲ': 'p',
	'Ꭱ': 'r',
	'Ꮪ': 's',
	'Ꭲ': 't',
	'Ꮩ': 'v',
	'Ꮃ': 'w',
	'Ꮓ': 'z',
}

// isDropped reports marks that a fold leaves out: accents, and the vowel points of
// Hebrew and Arabic.
func isDropped(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x483 && r <= 0x489 || r >= 0x591 && r <= 0x5c7 || r >= 0x64b && r <= 0x65f || r == 0x640 ||
		r == 0x670 ||
		r >= 0x1ab0 && r <= 0x1aff ||
		r >= 0x20d0 && r <= 0x20ff
}

// appendFolded appends the folded form of a character outside ASCII: lower case, with compatibility forms decomposed, and
// accents and hidden characters removed.
func appendFolded(dst []byte, r rune) []byte {
	switch {
	case r >= 0xe0020 && r <= 0xe007e: // a tag character is an invisible copy of an ASCII character
		return append(dst, lowerByte(byte(r-0xe0000)))
	case isInvisible(r) || isDropped(r):
		return dst
	case r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 || r >= 0x3041 && r <= 0x30ff && r != '・':
		return utf8.AppendRune(dst, r)
	}
	if s, ok := signs[r]; ok {
		return append(dst, s)
	}
	if r == '。' || r == '．' || r == '！' || r == '？' { // no space follows them in writing
		return append(dst, '.', ' ')
	}
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	if d := norm.NFKD.Properties(b[:n]).Decomposition(); d != nil {
		for len(d) > 0 {
			r, size := utf8.DecodeRune(d)
			d = d[size:]
			dst = appendLetter(dst, r)
		}
		return dst
	}
	return appendLetter(dst, r)
}

// enclosed are alphabets of symbols in the order of the Latin alphabet that have no compatibility decomposition: letters in
// dark circles and squares, and the letters of flags.
var enclosed = [...]rune{0x1f150, 0x1f170, 0x1f1e6}

// braille has the letters of the cells from U+2801 on, by their six dots.
var braille = func() (b [64]byte) {
	for i, dots := range [...]byte{
		1, 3, 9, 25, 17, 11, 27, 19, 10, 26, 5, 7, 13, 29, 21, 15, 31, 23, 14, 30, 37, 39, 58, 45, 61, 53,
	} {
		b[dots] = 'a' + byte(i)
	}
	b[0] = ' '
	return b
}()

func appendLetter(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(dst, lowerByte(byte(r)))
	}
	if r >= 0x2800 && r < 0x2840 && braille[r-0x2800] != 0 {
		return append(dst, braille[r-0x2800])
	}
	for _, first := range enclosed {
		if r >= first && r < first+26 {
			return append(dst, 'a'+byte(r-first))
		}
	}
	r = unicode.ToLower(r)
	if s, ok := latin[r]; ok {
		return append(dst, s...)
	}
	switch {
	case isDropped(r):
		return dst
	case unicode.IsSpace(r):
		return append(dst, ' ')
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		return utf8.AppendRune(dst, r)
	}
	return append(dst, foldedAway)
}

func lowerByte(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

// foldText returns the form that a text has in a view.
func foldText(s string) string {
	var v view
	v.read(s)
	return string(v.norm)
}
