package mcptool

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatDoesNotPrintIsShownEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"Finds people.\nÄ":       "Finds people.\nÄ",
		"a\x1b[2Kb\rc":           `a\u{1b}[2Kb\u{d}c`,
		"a\u202eb\u2066c\u200bd": `a\u{202e}b\u{2066}c\u{200b}d`,
		"\U000e0041":             `\u{e0041}`,
		"a\u00a0b":               `a\u{a0}b`,
	} {
		assert.Equal(t, want, escapeUnprintable(text))
	}
	assert.Equal(t, `"description", "x\u202e\n"`, quoteFields([]string{"description", "x\u202e\n"}))
}
