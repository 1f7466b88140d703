package pii

import (
	"cmp"
	"slices"
)

// mergeMatches sorts matches and removes those that overlap a better one: the longer wins, then the more certain, then
// the type that comes first in the list.
func mergeMatches(list []Match) []Match {
	slices.SortStableFunc(list, func(a, b Match) int { return cmp.Compare(a.Start, b.Start) })
	out := list[:0]
	for _, m := range list {
		keep := true
		for n := len(out); n > 0 && out[n-1].End > m.Start; n = len(out) {
			if o := out[n-1]; o.End-o.Start > m.End-m.Start || o.End-o.Start == m.End-m.Start && o.Score >= m.Score {
				keep = false
				break
			}
			out = out[:n-1]
		}
		if keep {
			out = append(out, m)
		}
	}
	return out
}
