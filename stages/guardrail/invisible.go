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

func (invisibles) detect(c *check, dst []finding) []finding {
	if c.v.ascii {
		return dst
	}
	s := c.v.raw
	h := hiding{text: s, first: c.first}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			to := min(findNonASCII(s, i), i+paceSteps)
			if !c.w.pace.spendSteps(to - i) {
				return dst
			}
			h.before, h.flag, h.selectors, i = rune(s[to-1]), false, 0, to
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !c.w.pace.spendSteps(size) {
			return dst
		}
		if !isInvisible(r) {
			h.flag = r == 0x1f3f4
			h.before, h.selectors = r, 0
			i += size
			continue
		}
		if score := h.score(r, i, size); score > 0 {
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

// hiding is the context that decides about the next hidden character of a text.
type hiding struct {
	text      string
	first     bool // the text is the first of its message
	before    rune // the last visible character
	flag      bool // in an emoji flag
	selectors int  // in a row
	direction int8 // of the text: 0 not known yet, 1 right to left, -1 left to right only
}

// score returns how suspicious the hidden character r at i is.
func (h *hiding) score(r rune, i, size int) float32 {
	switch {
	case r >= 0xe0020 && r <= 0xe007f: // tags
		if !h.flag {
			return 1
		}
		h.flag = r != 0xe007f
		return 0
	case r == 0xe0001:
		return 1
	case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f: // variation selectors
		if h.selectors++; h.selectors > 1 || h.before == 0 || unicode.IsSpace(h.before) {
			return 0.9
		}
		return 0
	case r == 0xad || r == 0x2800:
		return 0.3
	case r == 0xfeff && i == 0 && h.first, h.joinsScript(r, i+size):
		return 0
	case r == 0x202d || r == 0x202e: // overrides
		return 0.9
	case r == 0x200e || r == 0x200f || r == 0x61c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		if h.hasRightToLeft() {
			return 0
		}
		return 0.7
	}
	return 0.6
}

// joinsScript reports whether r is a joiner or a zero-width space where writing needs one;
// next is the index of the next character.
func (h *hiding) joinsScript(r rune, next int) bool {
	behind, _ := utf8.DecodeRuneInString(h.text[next:])
	switch r {
	case 0x200c, 0x200d:
		return joins(h.before) || joins(behind) || isPictograph(h.before) && (isPictograph(behind) || behind == 0xfe0f)
	case 0x200b:
		return isUnspaced(h.before) || isUnspaced(behind)
	}
	return false
}

// hasRightToLeft reports whether the text has a character that is written from right to left.
func (h *hiding) hasRightToLeft() bool {
	if h.direction == 0 {
		h.direction = -1
		for _, r := range h.text {
			if isRightToLeft(r) {
				h.direction = 1
				break
			}
		}
	}
	return h.direction > 0
}
