package conflict

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// short returns all texts over two letters, up to a length.
func short(n int) []string {
	all, last := []string{""}, []string{""}
	for range n {
		var next []string
		for _, s := range last {
			next = append(next, s+"a", s+"b")
		}
		all, last = append(all, next...), next
	}
	return all
}

func TestTheSearchAgreesWithTryingAllShortTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	glob := func() dsl.Glob {
		b := make([]byte, r.IntN(4))
		for i := range b {
			b[i] = "aab*?"[r.IntN(5)]
		}
		return dsl.NewGlob(string(b))
	}
	texts6 := short(6)
	for range 2000 {
		var sets []texts
		for range 1 + r.IntN(3) {
			s := texts{within: r.IntN(3) > 0}
			for range 1 + r.IntN(2) {
				s.globs = append(s.globs, glob())
			}
			sets = append(sets, s)
		}
		in := func(text string) bool {
			for _, s := range sets {
				if !s.has(text) {
					return false
				}
			}
			return true
		}
		text, f := findCommon(sets)
		switch f {
		case some:
			require.True(t, in(text), "%v: %q", sets, text)
		case none:
			for _, s := range texts6 {
				require.False(t, in(s), "%v: %q", sets, s)
			}
		default:
			t.Fatalf("%v: such small patterns are decided", sets)
		}
	}
}

func TestPatternsThatAreTooLargeAreLeftOpen(t *testing.T) {
	long := make([]byte, maxPattern)
	for i := range long {
		long[i] = 'a'
	}
	_, f := findCommon([]texts{{globs: []dsl.Glob{dsl.NewGlob(string(long) + "*")}, within: true}, {globs: []dsl.Glob{dsl.NewGlob("a*")}}})
	require.Equal(t, unsure, f)
}

func BenchmarkHundredRules(b *testing.B) {
	text := "name: p\nrules:\n"
	for i := range 100 {
		text += "  - {id: r" + string(
			rune('a'+i%26),
		) + string(
			rune('a'+i/26),
		) + ", conditions: {model.in: [\"gpt-" + string(
			rune('a'+i%26),
		) + "*-mini\"]}, action: DENY}\n"
	}
	list, err := dsl.ParseAll([]byte(text), "", "")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		Find(list, Options{})
	}
}
