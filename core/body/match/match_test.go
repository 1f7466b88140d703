package match

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzTheAutomatonFindsWhatSearchingFinds(f *testing.F) {
	f.Add("he|she|his|hers", "ushers and his hers")
	f.Add("a|aa|aaa|ab", "aaaab")
	f.Add("the cat|cat", "the\ncat")
	f.Fuzz(func(t *testing.T, list, text string) {
		words := slices.DeleteFunc(strings.Split(list, "|"), func(s string) bool { return s == "" || strings.ContainsAny(s, "\n\t\r") })
		if len(words) == 0 || len(list) > 200 || len(text) > 500 {
			return
		}
		got := New(words, Options{AnySpaces: true}).AppendAll(nil, []byte(text))
		plainText := text
		if strings.Contains(list, " ") {
			plainText = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(text)
		}
		var want []Hit
		for end := 1; end <= len(text); end++ {
			for k, w := range words {
				if strings.HasSuffix(plainText[:end], w) {
					want = append(want, Hit{int32(k), int32(end - len(w)), int32(end)})
				}
			}
		}
		require.ElementsMatch(t, want, got)
	})
}

// FuzzLongestIsTheLeftmostOfAll compares AppendLongest with a search by hand, also beyond the
// full rows.
func FuzzLongestIsTheLeftmostOfAll(f *testing.F) {
	f.Add("he|she|his|hers", "uSHErs and his HERS")
	f.Add("a|aa|aaa|ab", "aaaab")
	f.Add("ab|abcdef|cd|d", "abcdexabcdefd")
	f.Add("\u00fcber|BER|Zürich-7", "xÜBER überzürich-7")
	f.Fuzz(func(t *testing.T, list, text string) {
		words := slices.DeleteFunc(strings.Split(list, "|"), func(s string) bool { return s == "" })
		if len(words) == 0 || len(list) > 200 || len(text) > 500 {
			return
		}
		low := lower(text)
		var want []Hit
		for i := 0; i < len(text); i++ {
			best := Hit{Literal: -1}
			for k, w := range words {
				if strings.HasPrefix(low[i:], lower(w)) && i+len(w) > int(best.End) {
					best = Hit{int32(k), int32(i), int32(i + len(w))}
				}
			}
			if best.Literal >= 0 {
				want = append(want, best)
				i = int(best.End) - 1
			}
		}
		a := New(words, Options{FoldCase: true})
		require.Equal(t, want, a.AppendLongest(nil, text))
		defer func(n int) { maxDense = n }(maxDense)
		maxDense = a.classes
		require.Equal(t, want, New(words, Options{FoldCase: true}).AppendLongest(nil, text))
	})
}

// lower folds the ASCII letters of s.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] |= 0x20
		}
	}
	return string(b)
}
