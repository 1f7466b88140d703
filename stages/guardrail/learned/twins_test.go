package learned

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mixedText is n pieces of text at random.
func mixedText(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 12))
	var b strings.Builder
	for range r.IntN(n) {
		if r.IntN(9) == 0 {
			b.WriteByte(byte(r.IntN(0xe3)))
			continue
		}
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return []byte(b.String())
}

// appendRunes is the oracle: it reads a text byte by byte.
func TestWordsAreTheSameReadByMasks(t *testing.T) {
	spaced, firsts := 0, 0
	check := func(text []byte) {
		want := appendRunes(nil, text)
		require.Equal(t, want, AppendWords(nil, text), "%q", text)
		if _, ok := appendSpaced(nil, text); ok {
			spaced++
			for _, w := range want {
				if w.First {
					firsts++
				}
			}
		}
	}
	for seed := range uint64(3000) {
		check(mixedText(seed, 60))
	}
	for n := range 200 { // words that end with a chunk, and sentences
		check([]byte(strings.Repeat("a", n)))
		check([]byte(strings.Repeat("a", n) + ". bc\nd:e"))
		check([]byte(strings.Repeat("ab. ", n/4) + strings.Repeat("c", n%4)))
	}
	assert.Greater(t, spaced, 700)
	assert.Greater(t, firsts, 5000)
}

// slowSegments is the plain twin of Reader.visitSegments: it looks at each word again for each segment.
func slowSegments(ws []Word, lines bool, visit func(first, end int)) {
	for i := 0; i < len(ws); {
		start := int(ws[i].Start)
		end, k := start, i
		for k < len(ws) && end-start < minSegment {
			next := k + 1
			for next < len(ws) && !ws[next].First && int(ws[next].End)-start <= maxSegment {
				next++
			}
			if k > i && int(ws[next-1].End)-start > maxSegment {
				break
			}
			k, end = next, int(ws[next-1].End)
		}
		visit(i, k)
		if k == len(ws) && (i > 0 || end == int(ws[len(ws)-1].End)) {
			break
		}
		next := i + 1
		for next < len(ws) && int(ws[next].Start)-start < segmentStep {
			next++
		}
		for long := next; long < len(ws) && int(ws[long].Start) < end; long++ {
			if ws[long].First {
				next = long
				break
			}
		}
		i = next
	}
	for i := 0; lines && i < len(ws); {
		next := i + 1
		for next < len(ws) && !ws[next].First {
			next++
		}
		if next-i >= minWords && ws[next-1].End-ws[i].Start < minSegment && next-i < len(ws) {
			visit(i, next)
		}
		i = next
	}
}

func TestSegmentsOfAWindowAreThoseOfItsTwin(t *testing.T) {
	var r Reader
	all := 0
	for seed := range uint64(2000) {
		text := mixedText(seed, 200)
		r.all = AppendWords(r.all[:0], text)
		r.markSentenceStarts()
		rnd := rand.New(rand.NewPCG(seed, 13))
		for from := 0; from < len(r.all); {
			to := from + 1 + rnd.IntN(len(r.all)-from)
			r.all[from].First = true // as ScoreWindow has it
			type span struct{ first, end int }
			var want, got []span
			slowSegments(r.all[from:to], seed%2 == 0, func(first, end int) { want = append(want, span{from + first, from + end}) })
			r.visitSegments(from, to, seed%2 == 0, func(first, end int) bool { got = append(got, span{first, end}); return true })
			require.Equal(t, want, got, "seed %d, words %d to %d of %q", seed, from, to, text)
			all += len(want)
			from += 1 + rnd.IntN(40)
		}
	}
	assert.Greater(t, all, 10000)
}

// add is the plain twin of the loop over letters.
func TestLettersAddUpAsOtherFeaturesDo(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	var r Reader
	twins := 0
	for seed := range uint64(1000) {
		text := mixedText(seed, 80)
		m.ReadText(&r, text)
		var s sums
		s.nextEpoch()
		var list []twin
		sum, want := int32(0), []partialSum{}
		for i := 0; i+letters <= len(r.page.flat); i++ {
			want = append(want, partialSum{sum, int32(len(list))})
			var w int32
			w, list = s.add(m, list, hashBytes(r.page.flat, i, i+letters), saltLetters, int32(i), 0)
			sum += w
		}
		want = append(want, partialSum{sum, int32(len(list))})
		require.Equal(t, want, r.sums.letters, "seed %d", seed)
		require.Equal(t, append([]twin{}, list...), append([]twin{}, r.sums.letterTwins...), "seed %d", seed)
		twins += len(list)
	}
	assert.Greater(t, twins, 5000)
}
