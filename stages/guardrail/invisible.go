package guardrail

import (
	"unicode"
	"unicode/utf8"
)

// invisibles finds hidden characters where writing needs none: tags, direction
// marks, zero width. Joiners in emoji and in scripts that need them, direction marks
// in right-to-left text, emoji flags and one leading byte order mark are ordinary.
type invisibles struct{}

func newInvisible(*detectorSettings, *engine) (detector, error) { return invisibles{}, nil }

func (invisibles) look(c *check, dst []finding) []finding {
	if c.v.ascii {
		return dst
	}
	s, before := c.v.raw, rune(0) // before: the last visible character
	rtl := -1                     // not known yet
	flag := false                 // in an emoji flag
	hidden := 0                   // selectors in a row
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !invisible(r) {
			flag = r == 0x1f3f4
			before, hidden = r, 0
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		score := float32(0.6)
		switch {
		case r >= 0xe0020 && r <= 0xe007f:
			if score = 1; flag {
				score, flag = 0, r != 0xe007f
			}
		case r == 0xe0001:
			score = 1
		case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f:
			score = 0
			if hidden++; hidden > 1 || before == 0 || unicode.IsSpace(before) {
				score = 0.9
			}
		case r == 0x200c || r == 0x200d:
			if joins(before) || joins(next) || pictograph(before) && (pictograph(next) || next == 0xfe0f) {
				score = 0
			}
		case r == 0x200b:
			if unspaced(before) || unspaced(next) {
				score = 0
			}
		case r == 0x200e || r == 0x200f || r == 0x61c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			if rtl < 0 {
				rtl = 0
				for _, r := range s {
					if rightToLeft(r) {
						rtl = 1
						break
					}
				}
			}
			switch override := r == 0x202d || r == 0x202e; {
			case override:
				score = 0.9
			case rtl == 1:
				score = 0
			default:
				score = 0.7
			}
		case r == 0xfeff:
			if i == 0 && c.first {
				score = 0
			}
		case r == 0xad || r == 0x2800:
			score = 0.3
		}
		if score > 0 {
			if k := len(dst) - 1; k >= 0 && dst[k].end == i {
				dst[k].end, dst[k].score = i+size, max(dst[k].score, score)
			} else {
				dst = append(dst, finding{start: i, end: i + size, score: score})
			}
		}
		i += size
	}
	return dst
}
