package guardrail

import "unicode"

// isInvisible reports whether a character renders nothing: zero width, direction marks, tags, selectors and blank letters.
func isInvisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad || r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 ||
		r == 0x17b4 || r == 0x17b5 || r == 0x3164 || r == 0xffa0 || r == 0x2800:
		return true
	case r >= 0x180b && r <= 0x180f || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff || r >= 0xfff9 && r <= 0xfffb ||
		r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// joins reports scripts whose writing needs the zero-width joiners.
func joins(r rune) bool {
	return unicode.In(
		r,
		unicode.Arabic,
		unicode.Syriac,
		unicode.Nko,
		unicode.Mongolian,
		unicode.Devanagari,
		unicode.Bengali,
		unicode.Gurmukhi,
		unicode.Gujarati,
		unicode.Oriya,
		unicode.Tamil,
		unicode.Telugu,
		unicode.Kannada,
		unicode.Malayalam,
		unicode.Sinhala,
		unicode.Khmer,
		unicode.Myanmar,
		unicode.Tibetan,
	)
}

// isRightToLeft reports scripts in which direction marks are ordinary.
func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// isPictograph reports characters that emoji sequences are made of.
func isPictograph(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff || r == 0xa9 || r == 0xae ||
		r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r == 0x3030 ||
		r == 0x303d ||
		r == 0x3297 ||
		r == 0x3299
}
