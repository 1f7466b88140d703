package guardrail

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// scripts finds texts in other scripts than those allowed. It tells scripts, not
// languages: French and Vietnamese are both Latin.
type scripts struct{ tables []*unicode.RangeTable }

func newLanguage(d *detectorSettings, _ *engine) (detector, error) {
	s := new(scripts)
	for _, name := range d.Scripts {
		t := findScript(name)
		if t == nil {
			return nil, fmt.Errorf("script %q: write a name of the Unicode standard, such as latin, cyrillic or han", name)
		}
		s.tables = append(s.tables, t)
	}
	if len(s.tables) == 0 {
		return nil, fmt.Errorf("scripts is empty: write the scripts that texts may be in, as [latin]")
	}
	return s, nil
}

func findScript(name string) *unicode.RangeTable {
	for k, t := range unicode.Scripts {
		if strings.EqualFold(k, name) {
			return t
		}
	}
	return nil
}

// minLetters is how many letters a text needs for their shares to be meaningful.
const minLetters = 4

func (s *scripts) detect(c *check, dst []finding) []finding {
	letters, other := 0, 0
	for _, r := range c.v.raw {
		if !c.w.pace.spendSteps(1) {
			return dst
		}
		if !unicode.IsLetter(r) {
			continue
		}
		n := 1
		if isUnspaced(r) || unicode.Is(unicode.Hangul, r) {
			n = 2 // a syllable or a word
		}
		letters += n
		if !slices.ContainsFunc(s.tables, func(t *unicode.RangeTable) bool { return unicode.Is(t, r) }) {
			other += n
		}
	}
	if letters >= minLetters && other > 0 {
		dst = append(dst, finding{end: len(c.v.raw), score: float32(other) / float32(letters)})
	}
	return dst
}
