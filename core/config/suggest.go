package config

import (
	"slices"
	"strings"
)

// suggestWord returns the candidate closest to a misspelled word, or "".
func suggestWord(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	fold := strings.NewReplacer("-", "", "_", "", ".", "")
	word = fold.Replace(strings.ToLower(word))
	best, found := max(1, len(word)/3)+1, ""
	for _, c := range candidates {
		if d := measureDistance(word, fold.Replace(strings.ToLower(c))); d < best {
			best, found = d, c
		}
	}
	return found
}

// measureDistance returns the Levenshtein distance, with a swap of neighbours as one step.
func measureDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// formatSuggestion returns the hint for an unknown word: the nearest one, or all if they are few.
func formatSuggestion(word string, candidates []string) string {
	if near := suggestWord(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	if len(candidates) == 0 || len(candidates) > 20 {
		return ""
	}
	return "write one of " + strings.Join(slices.Sorted(slices.Values(candidates)), ", ")
}
