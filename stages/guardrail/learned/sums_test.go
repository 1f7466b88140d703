package learned

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The oracle is the sum of the features of the segment alone.
func TestASumOfASegmentIsThatOfItsFeatures(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	var r, alone Reader
	all, same, near := 0, 0, 0
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		var b strings.Builder
		for range rnd.IntN(120) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		text := []byte(b.String())
		m.ReadText(&r, text)
		r.visitSegments(0, len(r.all), true, func(first, end int) bool {
			want, _ := m.sum(alone.ListSlots(text[r.all[first].Start:r.all[end-1].End]))
			got := m.bias + float32(r.sums.sumSegment(m, &r, first, end))*m.scale
			all++
			d := math.Abs(float64(want - got))
			if d < 1e-6 {
				same++
			}
			if d < estimateError {
				near++
			}
			return true
		})
	}
	assert.Greater(t, all, 5000)
	assert.Greater(t, float64(same), 0.8*float64(all))
	assert.Greater(t, float64(near), 0.995*float64(all))
}

// A window of a text has the score of the same text alone.
func TestAWindowOfATextHasTheScoreThatItHasAlone(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	var r, alone Reader
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 10))
		var b strings.Builder
		for range 40 + rnd.IntN(400) {
			b.WriteString(pieces[rnd.IntN(len(pieces)-1)])
		}
		text := []byte(b.String())
		m.ReadText(&r, text)
		blocks := m.Gate().Scan(nil, text)
		for i := range blocks {
			start, end := int(blocks[i].Start), int(blocks[min(i+1, len(blocks)-1)].End)
			got := m.ScoreWindow(&r, start, end, true, NoFloor)
			attack, jail, first, last := m.Score(&alone, text[start:end], true)
			switch {
			case last == 0:
				require.Zero(t, got.End)
			case attack == got.Attack:
				require.Equal(t, Verdict{attack, jail, start + first, start + last}, got, "seed %d window %d", seed, i)
			default: // another segment is nearly as bad
				require.InDelta(t, attack, got.Attack, estimateError, "seed %d window %d", seed, i)
			}
		}
	}
}
