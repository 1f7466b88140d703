package pii

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryWordOfEveryRowIsInTheLexicon(t *testing.T) {
	for i := range builtin {
		d := &builtin[i]
		for _, list := range [][]string{d.words, d.hints, d.against} {
			for _, w := range list {
				for _, spelt := range []string{w, strings.ToUpper(w)} {
					says := lookupAnyCase(spelt, strings.IndexFunc(w, func(r rune) bool { return r >= 0x80 }) >= 0)
					require.NotNil(t, says, spelt)
					require.True(t, says.pro.has(i) || says.hint.has(i) || says.contra.has(i), "%s of %s", spelt, d.name)
				}
			}
		}
	}
	for _, w := range []string{"x", "zz", "carded", "cbr", "phonee", "0"} {
		require.Nil(t, lookupAnyCase(w, false), w)
	}
	require.Less(t, len(lexicon), 1<<16)
}

func TestWordsAreTheSameByBitsAndByBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	s := &scan{e: engine(t, Options{Types: six})}
	for range 4000 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(strings.Repeat("aZ09_-é \u200b, "[r.IntN(14):][:1], 1+r.IntN(14)*r.IntN(2)))
			b.WriteString([]string{"card ", "x", "phone: ", "", " 37 ", ", "}[r.IntN(6)])
		}
		s.v.load(b.String(), false)
		at := r.IntN(len(s.v.s) + 1)
		words := func(bytes bool) (out []string) {
			s.before.reset(&s.v, &s.e.words, at)
			if bytes {
				s.before.first = at
			}
			for range contextWords {
				begin, end, wide := s.before.findWordBefore()
				out = append(out, s.v.s[begin:end])
				if begin == end {
					break
				}
				require.Equal(t, wide, strings.IndexFunc(s.v.s[begin:end], func(r rune) bool { return r >= 0x80 }) >= 0)
				s.before.end = begin
			}
			return out
		}
		require.Equal(t, words(true), words(false), "%q at %d", s.v.s, at)
	}
}
