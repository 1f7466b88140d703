package cases

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// diffTexts shows two texts, and marks their first difference.
func diffTexts(want, got string) string {
	if strings.Count(want, "\n")+strings.Count(got, "\n") > 2 {
		return diffLines(want, got)
	}
	a, b := fmt.Sprintf("%q", want), fmt.Sprintf("%q", got)
	ra, rb := []rune(a), []rune(b)
	k := 0
	for k < len(ra) && k < len(rb) && ra[k] == rb[k] {
		k++
	}
	from := 0
	if k > 60 { // long texts are shown from shortly before the difference
		from = k - 40
	}
	return fmt.Sprintf("  want %s\n  got  %s\n       %s^", shortenText(ra, from), shortenText(rb, from), strings.Repeat(" ", k-from+measureEllipsis(from)))
}

const maxShown = 160

// measureEllipsis returns the width of the mark for omitted text.
func measureEllipsis(from int) int {
	if from > 0 {
		return 1
	}
	return 0
}

func shortenText(r []rune, from int) string {
	out := string(r[min(from, len(r)):min(from+maxShown, len(r))])
	if from > 0 {
		out = "…" + out
	}
	if from+maxShown < len(r) {
		out += "…"
	}
	return out
}

// listDiff shows missing entries with a minus and unexpected ones with a plus.
func listDiff(want, got []string) string {
	return strings.TrimSuffix(writeScript(want, got, -1), "\n")
}

// diffLines shows two texts of several lines, with three common lines around each difference.
func diffLines(want, got string) string {
	return strings.TrimSuffix(writeScript(splitLines(want), splitLines(got), 3), "\n")
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// maxLines bounds the table of a comparison; longer texts are compared from their first difference.
const maxLines = 2000

// writeScript writes the lines of both texts, those of want alone with a minus, those of got alone with a plus.
// around is how many equal lines are shown beside a difference; negative: all.
func writeScript(want, got []string, around int) string {
	same := 0
	for same < len(want) && same < len(got) && want[same] == got[same] {
		same++
	}
	end := 0
	for end < len(want)-same && end < len(got)-same && want[len(want)-1-end] == got[len(got)-1-end] {
		end++
	}
	a, b := want[same:len(want)-end], got[same:len(got)-end]
	type line struct {
		mark byte
		text string
	}
	var out []line
	for _, s := range want[:same] {
		out = append(out, line{' ', s})
	}
	if len(a) > maxLines || len(b) > maxLines {
		a, b = a[:min(len(a), maxLines)], b[:min(len(b), maxLines)]
	}
	// The longest common run of lines, by the usual table from the end.
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				table[i][k] = table[i+1][k+1] + 1
			} else {
				table[i][k] = max(table[i+1][k], table[i][k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(a) || k < len(b); {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			out = append(out, line{' ', a[i]})
			i, k = i+1, k+1
		case k >= len(b) || i < len(a) && table[i+1][k] >= table[i][k+1]:
			out = append(out, line{'-', a[i]})
			i++
		default:
			out = append(out, line{'+', b[k]})
			k++
		}
	}
	for _, s := range want[len(want)-end:] {
		out = append(out, line{' ', s})
	}
	var text strings.Builder
	skipped := false
	for i := range out {
		near := around < 0
		for k := max(0, i-around); !near && k <= min(len(out)-1, i+around); k++ {
			near = out[k].mark != ' '
		}
		if !near {
			if !skipped {
				text.WriteString("    …\n")
			}
			skipped = true
			continue
		}
		skipped = false
		fmt.Fprintf(&text, "  %c %s\n", out[i].mark, strings.ToValidUTF8(out[i].text, string(utf8.RuneError)))
	}
	return text.String()
}
