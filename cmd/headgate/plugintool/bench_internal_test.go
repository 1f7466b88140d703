package plugintool

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestTextsOfABenchHaveTheSizeAndWholeCharacters(t *testing.T) {
	for _, n := range append([]int{2, 3, 5, 131, 132, 133, 134}, benchSizes...) {
		text := repeatText(benchProse, n)
		assert.Len(t, text, n)
		assert.True(t, utf8.ValidString(text))
	}
}

func TestTheFloorFindsWhatItSays(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a@b.de": 1, "@b.de": 0, "a@b": 0, "a@.de": 0, "4111111111111111": 1, "4111111111111112": 0, "41111111111111111": 0,
		"x 4111111111111111, a@b.de; a@b.": 2, benchProse: 0,
	} {
		assert.Equal(t, want, scanFloor(text), text)
	}
}
