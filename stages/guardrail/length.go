package guardrail

import (
	"fmt"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/llm/tokens"
)

// length finds texts that are too long or too short.
type length struct {
	min, max int
	unit     string
}

const (
	unitRunes     = "runes"
	unitBytes     = "bytes"
	unitWords     = "words"
	unitSentences = "sentences"
	unitTokens    = "tokens"
)

func newLength(d *detectorSettings, _ *engine) (detector, error) {
	l := &length{min: d.Min, max: d.Max, unit: d.Unit}
	switch l.unit {
	case "", "chars", "characters":
		l.unit = unitRunes
	case unitRunes, unitBytes, unitWords, unitSentences, unitTokens:
	default:
		return nil, fmt.Errorf("unit %q: write %s, %s, %s, %s or %s", d.Unit, unitRunes, unitBytes, unitWords, unitSentences, unitTokens)
	}
	if l.min < 0 || l.max < 0 || l.min == 0 && l.max == 0 || l.max > 0 && l.min > l.max {
		return nil, fmt.Errorf("min %d, max %d: write max, min or both, min not above max", l.min, l.max)
	}
	return l, nil
}

// needWholeAnswer makes a stream wait for its end. This applies to tokens only: other units are counted along the stream.
func (*length) needWholeAnswer() {}

func (l *length) detect(c *check, dst []finding) []finding {
	if !c.first || !c.last {
		return dst // along a stream the filter counts
	}
	var n int
	if l.unit == unitTokens {
		if l.min == 0 && tokens.BoundText(c.v.raw, int64(l.max)) <= int64(l.max) {
			return dst // short enough without a count
		}
		t, err := tokens.CountText(c.v.raw)
		if err != nil { // a text that is too long to count is too long
			t = int64(len(c.v.raw))
		}
		n = int(t)
	} else {
		var t tally
		for rest := c.v.raw; rest != "" && c.w.pace.spendSteps(min(len(rest), paceSteps)); {
			k := min(len(rest), paceSteps)
			for k < len(rest) && !utf8.RuneStart(rest[k]) {
				k++
			}
			t.add(rest[:k])
			rest = rest[k:]
		}
		n = t.count(l.unit)
	}
	if l.isTooLong(n) || n < l.min {
		dst = append(dst, finding{end: len(c.v.raw), score: 1})
	}
	return dst
}

func (l *length) isTooLong(n int) bool { return l.max > 0 && n > l.max }

// tally counts a text that arrives in pieces.
type tally struct {
	bytes, runes, words, sentences int
	word, sentence                 bool // inside of one
}

// add counts another piece, which ends at a character boundary.
func (t *tally) add(s string) {
	t.bytes += len(s)
	t.runes += utf8.RuneCountInString(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			t.word = false
		case c == '.' || c == '!' || c == '?':
			if t.sentence {
				t.sentences++
			}
			t.sentence = false
		default:
			if !t.word {
				t.words++
			}
			t.word, t.sentence = true, true
		}
	}
}

// count returns the units so far; a sentence without its full stop counts.
func (t *tally) count(unit string) int {
	switch unit {
	case unitBytes:
		return t.bytes
	case unitWords:
		return t.words
	case unitSentences:
		if t.sentence {
			return t.sentences + 1
		}
		return t.sentences
	}
	return t.runes
}
