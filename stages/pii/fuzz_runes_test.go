package pii

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// splitsRune reports whether i lies within a rune of the text. Bytes that belong to no rune may be cut anywhere.
func splitsRune(text string, i int) bool {
	if i == 0 || i >= len(text) || utf8.RuneStart(text[i]) {
		return false
	}
	start := i - 1
	for start > 0 && i-start < utf8.UTFMax && !utf8.RuneStart(text[start]) {
		start--
	}
	_, size := utf8.DecodeRuneInString(text[start:])
	return start+size > i
}

func TestOnlyRunesThatAreWholeAreSplit(t *testing.T) {
	for text, want := range map[string][]bool{
		"aä":                   {false, false, true, false},
		"\x91":                 {false, false},
		"a\x91ä":               {false, false, false, true, false},
		"ä\x91":                {false, true, false, false},
		"\xe2\x82":             {false, false, false},
		"\xe2\x82\xac":         {false, true, true, false},
		"\xe2\x82ä":            {false, false, false, true, false},
		"\xf0\x9f\x98":         {false, false, false, false},
		"\x80\x80\x80\x80\x80": {false, false, false, false, false, false},
	} {
		for i, splits := range want {
			require.Equal(t, splits, splitsRune(text, i), "%q at %d", text, i)
		}
	}
}
