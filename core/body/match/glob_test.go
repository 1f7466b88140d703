package match

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGlob(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b:c", true},
		{"gpt-*", "gpt-4o", true},
		{"gpt-*", "GPT-4o", false},
		{"*/gpt-?", "openai/gpt-4", true},
		{"*/gpt-?", "openai/gpt-", false},
		{"a*b*c", "aXbXbc", true},
		{"a*b*c", "aXbXb", false},
		{"?", "", false},
		{"**a", "ba", true},
		{"a?c", "abc", true},
		{"[a]", "a", false},
		{"a.c", "abc", false},
		{strings.Repeat("*a", 50), strings.Repeat("a", 49), false},
	} {
		assert.Equal(t, tc.want, MatchesGlob(tc.pattern, tc.name), "%q on %q", tc.pattern, tc.name)
	}
}
