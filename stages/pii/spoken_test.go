package pii

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestASpokenTypeNeedsATellingWord holds the promise that lets the scanner leave such types out.
func TestASpokenTypeNeedsATellingWord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const both = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	from := map[byte]string{'9': both[:10], 'A': both[10:], 'X': both}
	n := 0
	for i := range builtin {
		d := &builtin[i]
		if !d.spoken {
			continue
		}
		n++
		for k, f := range d.formats {
			s := makeShape(d, k, f)
			for range 300 {
				v := value{shape: k, cuts: s.must | s.cuts&r.Uint32()}
				for _, c := range []byte(s.chars) {
					set := from[c]
					v.c = append(v.c, set[r.IntN(len(set))])
				}
				require.LessOrEqual(t, d.check(&v), float32(spokenScore), "%s %q", d.name, v.c)
			}
		}
	}
	assert.NotZero(t, n)
}

func TestASpokenTypeWithALowThresholdNeedsNoWord(t *testing.T) {
	for _, c := range []struct {
		threshold float32
		text      string
		found     int
	}{
		{0.5, "the form says X1234567 and no more", 0},
		{0.5, "his passport X1234567 and no more", 1},
		{0.2, "the form says X1234567 and no more", 1},
	} {
		e, err := NewEngine(Options{Types: []string{"PASSPORT"}, Threshold: map[string]float32{"PASSPORT": c.threshold}})
		require.NoError(t, err)
		assert.Len(t, e.Detect(nil, c.text), c.found, "%s at %v", c.text, c.threshold)
	}
}
