package pii

import (
	"strconv"
	"strings"
)

// isNoPhone reports whether the groups at i are zeros, which stand in for a phone number, the identifier of a document, or part of a
// ruler.
func isNoPhone(s *scan, i int) bool {
	n, t := &s.num, s.v.s
	return areZeros(n, t) || isInHexPairs(n, t, i) ||
		isInCoverage(t, i) || namesCommit(t, i) || followsMonth(n, t, i) || isDOI(n, t, i) || isOnRuler(s, i)
}

// namesCommit reports whether the number at i is the short name of a commit, in the text of a link: "([5631828](https://github.com/".
func namesCommit(t string, i int) bool {
	end := i
	for end < len(t) && isDigitByte(t[end]) {
		end++
	}
	return i > 1 && t[i-2:i] == "([" && strings.HasPrefix(t[end:], "](http")
}

// isInCoverage reports whether the number at i is the end of a block in a profile of Go's coverage: "pkg/file.go:17.32,18.31 1 11".
func isInCoverage(t string, i int) bool {
	if i < 6 || t[i-1] != ',' {
		return false
	}
	k := i - 1
	for k > 0 && i-k < 14 && (isDigitByte(t[k-1]) || t[k-1] == '.') {
		k--
	}
	return k > 3 && t[k-1] == ':' && t[k-4:k-1] == ".go" && strings.Count(t[k:i-1], ".") == 1
}

// isInHexPairs reports whether the groups are pairs of digits and a pair of hexadecimal digits, one of them a letter, is before and
// behind them: "cc 13 14 64 00 01 cc".
func isInHexPairs(n *numbers, t string, i int) bool {
	for k := range n.n {
		if n.countDigits(k) != 2 || k > 0 && n.sep[k-1] != ' ' {
			return false
		}
	}
	pair := func(k int) bool {
		return k >= 0 && k+2 <= len(t) && class[t[k]]&class[t[k+1]]&isHex != 0 && !(isDigitByte(t[k]) && isDigitByte(t[k+1])) &&
			(k == 0 || !isWordByte(t[k-1])) && !isWordByte(findByteAt(t, k+2))
	}
	end := n.end[n.n-1]
	return n.n > 3 && pair(i-3) && t[i-1] == ' ' && findByteAt(t, end) == ' ' && pair(end+1)
}

// followsMonth reports whether the name of a month in English is before the number at i and the groups begin as a date does: "DECEMBER 21
// 19.87". Months are names of people too: "Call June 202-555-0143".
func followsMonth(n *numbers, t string, i int) bool {
	if i < 4 || t[i-1] != ' ' || !beginsWithDay(n, t) {
		return false
	}
	k := i - 1
	for k > 0 && i-k < 12 && isLetterByte(t[k-1]) {
		k--
	}
	return isInSet(monthNames, strings.ToLower(t[k:i-1]))
}

// beginsWithDay reports whether the groups are a day of a month and a year, of this century or the last or without it, and no group of
// more than two digits is behind them. Four pairs or more with one separator are a phone number of France.
func beginsWithDay(n *numbers, t string) bool {
	day := t[n.start[0]:n.end[0]]
	if n.n < 2 || len(day) > 2 || len(day) == 2 && day > "31" || day[0] == '0' {
		return false
	}
	if n.countDigits(1) != 2 && !isYear(t, n, 1) {
		return false
	}
	mixed := n.n < 4
	for k := 2; k < n.n; k++ {
		if n.countDigits(k) > 2 {
			return false
		}
		mixed = mixed || n.sep[k-1] != n.sep[0]
	}
	return mixed
}

var monthNames = buildSet("january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december")

// areZeros reports whether the groups have ten digits or more in total, all zeros: "000-000-0000".
func areZeros(n *numbers, t string) bool {
	digits := 0
	for k := range n.n {
		if strings.Trim(t[n.start[k]:n.end[k]], "0") != "" {
			return false
		}
		digits += n.countDigits(k)
	}
	return digits > 9
}

// isDOI reports whether the groups at i begin a digital object identifier (ISO 26324): "10.1002/14651858.CD007652". It has a part that is
// no number, or the address or the name of its scheme before it.
func isDOI(n *numbers, t string, i int) bool {
	if n.n < 3 || t[n.start[0]:n.end[0]] != "10" || n.sep[0] != '.' || n.countDigits(1) < 4 || n.sep[1] != '/' {
		return false
	}
	end := n.end[n.n-1]
	named := findByteAt(t, end) == '.' && end+1 < len(t) && isLetterByte(t[end+1])
	return named || i > 3 && (hasFold(t, i-4, "doi:") || hasFold(t, i-4, "org/") || hasFold(t, i-4, "doi "))
}

// rulerGap is how many spaces at most stand between two marks of a ruler.
const rulerGap = 16

// isOnRuler reports whether the three groups at i are marks at equal distances, and the number before or behind them is the next mark:
// "700   800 900 1000   1100".
func isOnRuler(s *scan, i int) bool {
	n, t := &s.num, s.v.s
	if n.n < 3 || n.sep[0] != ' ' || n.sep[1] != ' ' {
		return false
	}
	a, b, c := readMark(t[n.start[0]:n.end[0]]), readMark(t[n.start[1]:n.end[1]]), readMark(t[n.start[2]:n.end[2]])
	if b <= a || c-b != b-a {
		return false
	}
	k, low := i, s.v.stepBack(i, keyedBack)
	for k > low && i-k < rulerGap && t[k-1] == ' ' {
		k--
	}
	from := k
	for from > low && k-from < 5 && isDigitByte(t[from-1]) {
		from--
	}
	return from < k && k < i && readMark(t[from:k]) == a-(b-a)
}

// readMark returns a number of a ruler, or -1.
func readMark(g string) int {
	if len(g) > 4 {
		return -1
	}
	v, err := strconv.Atoi(g)
	if err != nil {
		return -1
	}
	return v
}
