package console

import (
	"slices"
	"strings"
)

// diff is the difference between two texts by lines, with some lines of context.
type diff struct {
	Hunks          []hunk
	Added, Removed int
}

// Same reports that the texts do not differ.
func (d diff) Same() bool { return len(d.Hunks) == 0 }

// hunk is a run of changed lines with their context.
type hunk []diffRow

// diffRow is a line of the old text beside one of the new text. One of the two may be nil.
type diffRow struct {
	Old, New *diffLine
	Changed  bool
}

// diffLine is a line with its number, from 1.
type diffLine struct {
	Number int
	Text   string
}

const (
	// diffAround is the number of lines of context.
	diffAround = 3
	// diffMost limits the number of edits. More different texts are shown as one deletion and one insertion, since the search
	// takes quadratic time.
	diffMost = 1000
)

// diffTexts compares two texts by lines.
func diffTexts(before, after string) diff {
	a, b := splitLines(before), splitLines(after)
	var d diff
	var rows []diffRow
	i, j := 0, 0
	for _, m := range append(findCommonLines(a, b), [2]int{len(a), len(b)}) {
		d.Removed += m[0] - i
		d.Added += m[1] - j
		for i < m[0] || j < m[1] {
			r := diffRow{Changed: true}
			if i < m[0] {
				r.Old = &diffLine{i + 1, a[i]}
				i++
			}
			if j < m[1] {
				r.New = &diffLine{j + 1, b[j]}
				j++
			}
			rows = append(rows, r)
		}
		if i < len(a) {
			rows = append(rows, diffRow{Old: &diffLine{i + 1, a[i]}, New: &diffLine{j + 1, b[j]}})
			i, j = i+1, j+1
		}
	}
	d.Hunks = groupHunks(rows)
	return d
}

// splitLines splits a text into lines. A final line break starts no line.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r") // browsers send both
	}
	return lines
}

// groupHunks keeps the rows near a change.
func groupHunks(rows []diffRow) []hunk {
	var out []hunk
	end := 0 // of the rows in out
	for i := range rows {
		if !rows[i].Changed {
			continue
		}
		from, to := max(i-diffAround, 0), min(i+diffAround+1, len(rows))
		if len(out) == 0 || from > end {
			out, end = append(out, nil), from
		}
		last := &out[len(out)-1]
		*last = append(*last, rows[end:max(to, end)]...)
		end = max(to, end)
	}
	return out
}

// findCommonLines returns the pairs of indexes of the unchanged lines, in order.
func findCommonLines(a, b []string) [][2]int {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out [][2]int
	for i := range head {
		out = append(out, [2]int{i, i})
	}
	for _, m := range findShortestEdit(a[head:len(a)-tail], b[head:len(b)-tail]) {
		out = append(out, [2]int{m[0] + head, m[1] + head})
	}
	for i := tail; i > 0; i-- {
		out = append(out, [2]int{len(a) - i, len(b) - i})
	}
	return out
}

// findShortestEdit returns the unchanged lines of a shortest edit from a to b, by Myers' greedy algorithm. It returns nil if no line
// is common or the texts differ by more than diffMost edits.
func findShortestEdit(a, b []string) [][2]int {
	most := min(len(a)+len(b), diffMost)
	reach := make([]int, 2*most+3) // by diagonal, the first being -most-1
	zero := most + 1
	var before [][]int // what reach was before each number of edits, from diagonal -d-1 to d+1
	for d := 0; d <= most; d++ {
		before = append(before, append([]int(nil), reach[zero-d-1:zero+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := reach[zero+k-1] + 1
			if isInsertion(reach[zero+k-1], reach[zero+k+1], k, d) {
				x = reach[zero+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			if reach[zero+k] = x; x >= len(a) && x-k >= len(b) {
				return tracePath(before, len(a), len(b))
			}
		}
	}
	return nil
}

// isInsertion reports whether the d-th edit on diagonal k is an insertion rather than a deletion.
func isInsertion(below, above, k, d int) bool { return k == -d || k != d && below < above }

// tracePath follows a search back to its start, and returns the unchanged lines on the path.
func tracePath(before [][]int, x, y int) [][2]int {
	var out [][2]int
	for d := len(before) - 1; d >= 0; d-- {
		k, at := x-y, func(k int) int { return before[d][k+d+1] }
		fromX, fromY := 0, 0
		if d > 0 {
			if isInsertion(at(k-1), at(k+1), k, d) {
				fromX, fromY = at(k+1), at(k+1)-k-1
			} else {
				fromX, fromY = at(k-1), at(k-1)-k+1
			}
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			out = append(out, [2]int{x, y})
		}
		x, y = fromX, fromY
	}
	slices.Reverse(out)
	return out
}
