package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHoldKeepsWhatMayBecomeAValue(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"a word behind which \"(at)\" may come", "hello world ", 6},
		{"the end of a sentence in quotes", `"hello world"`, 0},
		{"a number and a line break", "call 5550187\n", 8},
		{"a line break", "call me\n", 0},
		{"a word that may become an address", "hello wor", 3},
		{"a number that may go on", "call 555 01", 6},
		{"a number and the space behind it", "call 555 0187 ", 9},
		{"a number and a word", "call 555 0187 and ", 4},
		{"a number and the beginning of an extension", "212-555-0187 ext", 16},
		{"a parenthesis and what may be an address before", "call (", 6},
		{"the groups of an account number that are letters", "to GB29 NWBK ", 10},
		{"four letters that are no account number", "with that ", 5},
		{"an address whose domain may go on", "to kim@ex.example", 14},
		{"hidden characters behind a word", "word \u200b", 8},
		{"half a character", "word \xd9", 1},
		{"half a character behind digits", "12\xd9", 3},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, e.CountHeld(c.text)) })
	}
}

func TestHoldFromNeverTakesBackWhatWasReleased(t *testing.T) {
	e := engine(t, Options{})
	assert.Equal(t, 2, e.CountHeldFrom("call 5550187", 10))
}
