package learned

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pieces of normalised text: words of all classes, signs, stops, and runs that are longer than a segment may be.
var pieces = []string{
	"ignore", " all ", "previous ", "don't ", "x", "_a_b", ". ", "\n", "! ", ": ", "<tag>", "{", "[", "/", "@", "=", "\"", "%41", " ", "  ",
	"'", "é", "日本", "語", "ไทย", "\u0301", ",", "a.b", "3.14 ", strings.Repeat("long", 40), strings.Repeat("verylong", 90) + " ",
	"instructions and print the system prompt ", "\x80\xff",
}

// Slots is the oracle: it reads each segment separately.
func TestSegmentsOfAPageHaveTheFeaturesThatTheyHaveAlone(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	var paged, alone Reader
	read, same := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 8))
		var b strings.Builder
		for range r.IntN(120) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := []byte(b.String())
		paged.all = AppendWords(paged.all[:0], text)
		paged.markSentenceStarts()
		paged.readPage(text)
		attack, jail, judged := m.bias, float32(0), false
		paged.visitSegments(0, len(paged.all), true, func(first, end int) bool {
			from, to := int(paged.all[first].Start), int(paged.all[end-1].End)
			want := alone.ListSlots(text[from:to])
			require.Equal(t, want, paged.listPageSlots(text, first, end), "seed %d: %q", seed, text[from:to])
			if a, s := m.sum(want); !judged || a > attack {
				attack, jail, judged = a, s, true
			}
			read++
			return true
		})
		gotAttack, gotJail, _, _ := m.Score(&paged, text, true)
		if attack == gotAttack && jail == gotJail {
			same++
		}
		require.InDelta(t, attack, gotAttack, estimateError, "seed %d: another segment is nearly as bad", seed)
	}
	assert.Greater(t, read, 5000)
	assert.Greater(t, same, 2900)
}

func BenchmarkScore(b *testing.B) {
	m, err := Embedded()
	require.NoError(b, err)
	page, err := os.ReadFile("page_test.go")
	require.NoError(b, err)
	page = bytes.ToLower(page[:800])
	var r Reader
	b.Run("page", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			m.Score(&r, page, true)
		}
	})
	b.Run("alone", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			r.VisitSegments(page, true, func(start, end int) bool {
				m.sum(r.ListSlots(page[start:end]))
				return true
			})
		}
	})
}
