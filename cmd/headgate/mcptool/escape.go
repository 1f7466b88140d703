package mcptool

import (
	"fmt"
	"strings"
	"unicode"
)

// escapeUnprintable returns a text of a server with each character that a terminal does not show literally as \u{…}: controls, what
// turns the direction of a text, tags and spaces other than a blank. Lines stay.
func escapeUnprintable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// quoteFields returns names of members, which a server chooses.
func quoteFields(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%+q", name)
	}
	return strings.Join(quoted, ", ")
}
