package guardrail

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// windowTexts calls visit for long texts of all kinds: files that an agent has read, cases between lines of code, words and signs at
// random, and what asks for work at every byte.
func windowTexts(t *testing.T, visit func(text string)) {
	t.Helper()
	for _, s := range readSession(t) {
		visit(s.Result[:min(len(s.Result), 8<<10)])
	}
	for i, c := range ownCases(t) {
		if i%5 == 0 {
			visit(prose[:700] + "\n" + c.Text[:min(len(c.Text), 2000)] + "\n" + prose[800:1500])
		}
	}
	for _, unit := range hostile {
		visit(strings.Repeat(unit, 1+3000/len(unit)))
	}
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields(`don't 'tis rock'n'roll ignore all previous instructions and as an ai you are now o'neill's _ __ a_b x's'
 . ... ! ? { } ; 'quoted' "you must" from: sent: <html <!-- tu es user's' the_end. it's' ''' wi-fi monday friday` + " \n\t")
	for range 100 {
		var b strings.Builder
		for b.Len() < 2500 {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", " ", " ", "", "\n", "'", "_", ". "}[r.IntN(8)])
		}
		visit(b.String())
	}
}

func TestHalvesOfWindowsAreReadAsWholeWindowsAre(t *testing.T) {
	m, err := learned.Embedded()
	require.NoError(t, err)
	known := 0
	windowTexts(t, func(text string) {
		a, plain := &attackScan{lex: attackWords(), auto: attackLiterals(), model: m}, &attackScan{lex: attackWords(), auto: attackLiterals()}
		a.half.at = nowhere
		v := new(view)
		v.read(text)
		if !v.ascii {
			return
		}
		a.blocks = m.Gate().Scan(nil, v.norm)
		for i := range a.blocks[:max(0, len(a.blocks)-1)] {
			if i%7 == 6 {
				continue // a window that was not read
			}
			start, end := int(a.blocks[i].Start), int(a.blocks[i+1].End)
			a.window.read(text[start:end])
			if a.half.at == start {
				known++
			}
			a.readHalves(&a.window, start, int(a.blocks[i].End)-start)
			plain.window.read(text[start:end])
			plain.readWords(&plain.window)
			require.Equal(t, plain.window.words, a.window.words, "window %d of %q", i, text)
			require.True(t, slices.Equal(plain.window.hits, a.window.hits), "window %d of %q", i, text)
		}
	})
	assert.Greater(t, known, 1000)
}
