package pii

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/stages/pii/piitest"
	"github.com/stretchr/testify/require"
)

func FuzzDetect(f *testing.F) {
	for i, b := range scraps {
		f.Add("card "+b+" "+scraps[(i*7+3)%len(scraps)]+".", uint64(i))
	}
	for i, c := range ofTypes {
		f.Add(c.text+" "+scraps[(i*7+3)%len(scraps)], uint64(2*i+1))
	}
	for i, unit := range adversarial {
		f.Add(strings.Repeat(unit, 300/len(unit)), uint64(i))
		f.Add(strings.Repeat(unit, 300/len(unit)), uint64(i+1))
	}
	packs := []*Engine{engine(f, Options{Region: "US"}), engine(f, Options{Region: "US", Packs: []string{packAll}})}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		e := packs[seed%2]
		checkMatches(t, e.Detect(nil, text), text)
		hold := e.CountHeld(text)
		require.GreaterOrEqual(t, hold, 0)
		require.LessOrEqual(t, hold, min(HoldMax, len(text)))
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		want := e.Detect(nil, text)
		checkMatches(t, want, text)
		if len(text) > 4000 {
			return
		}
		require.Equal(t, want, feed(t, e, piitest.SplitPieces(rand.New(rand.NewPCG(seed, 1)), text, 1+int(seed%40))))
	})
}

// FuzzGates compares the engine of the first six types, which passes over numbers and marks at which no type has anything to say,
// with one that asks every type at each of them.
func FuzzGates(f *testing.F) {
	for i, b := range scraps {
		f.Add("in 37 items, DE 75 " + b + " 14500 of " + scraps[(i*7+3)%len(scraps)] + " AT 12 A, 5 more")
	}
	f.Add(chat(2000))
	gated, open := engine(f, Options{Types: six}), newUngatedEngine(f, Options{Types: six})
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, open.Detect(nil, text), gated.Detect(nil, text))
		require.Equal(t, open.CountHeld(text), gated.CountHeld(text))
	})
}

func TestPlainNumbersOfProseArePassedOver(t *testing.T) {
	e := engine(t, Options{Types: six})
	require.Equal(t, 6, e.lone)
	for text, alone := range map[string]bool{
		"in 37 items": true, "of 14500, it": true, "page 12. The": true, "DE 75 x": false, "AT 12 A": false,
		"US 12 A": true, "x12 a": false, "call 12 3": false, "12 a": false,
	} {
		i := strings.IndexAny(text, digits09)
		require.Equal(t, alone, isAloneAt(text, i, findDigitsEnd(text, i)), text)
	}
}

// checkMatches checks that matches are sorted, apart, and on rune boundaries.
func checkMatches(t *testing.T, ms []Match, text string) {
	end := 0
	for _, m := range ms {
		require.GreaterOrEqual(t, m.Start, end)
		require.Greater(t, m.End, m.Start)
		require.LessOrEqual(t, m.End, len(text))
		require.False(t, splitsRune(text, m.Start), m)
		require.False(t, splitsRune(text, m.End), m)
		require.Positive(t, m.Score)
		require.LessOrEqual(t, m.Score, float32(1))
		end = m.End
	}
}
