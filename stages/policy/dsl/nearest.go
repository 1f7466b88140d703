package dsl

// suggestWord returns the word that s was probably meant to be, or "". At most a third of its letters, and at most three,
// may differ.
func suggestWord(s string, words []string) string {
	best, at := "", min(3, (len(s)+1)/3)+1
	for _, w := range words {
		if d := measureDistance(s, w); d < at {
			best, at = w, d
		}
	}
	return best
}

// measureDistance counts the letters to insert, delete or change.
func measureDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
