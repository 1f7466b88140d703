package remote

import (
	"strings"
	"unicode"
)

// CleanText cuts a guard's text to n bytes of valid UTF-8, and replaces control characters with blanks.
func CleanText(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s))
}
