package remote

import (
	"strings"
	"unicode"
)

// Printable cuts a text of a guard's to n bytes, makes it UTF-8, and puts blanks in the
// place of control characters.
func Printable(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s))
}
