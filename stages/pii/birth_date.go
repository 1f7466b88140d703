package pii

import "strings"

// months are the names of the months and their abbreviations.
var months = map[string]int{}

func init() {
	for _, list := range []string{
		"january february march april may june july august september october november december", "jan feb mar apr may jun jul aug sep oct nov dec",
		"januar februar märz april mai juni juli august september oktober november dezember", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
	} {
		for i, w := range strings.Fields(list) {
			months[w] = i + 1
		}
	}
	months["sept"] = 9
}

// parseMonth returns the number of the month with the name w, or 0.
func parseMonth(w string) int {
	var b [16]byte
	if len(w) < 3 || len(w) > len(b) {
		return 0
	}
	for i := range len(w) {
		b[i] = w[i]
		if isUpper(w[i]) {
			b[i] |= 0x20
		}
	}
	return months[string(b[:len(w)])]
}

// findBirth recognises a date behind a telling word, or not far behind "born".
func findBirth(s *scan, i int) (int, int, float32) {
	from, to := s.findDate(i)
	if to == 0 {
		return 0, 0, 0
	}
	return from, to, chooseScore(s.followsPhrase(from, "born", "d.o.b", "date of birth", "birth date"), 0.6, 0.3)
}

// findDate reads a date: in digits in any order, or with the month's name before or
// after the day.
func (s *scan) findDate(i int) (from, to int) {
	t, n := s.v.s, &s.num
	if n.n == 0 || n.prev != 0 && n.prev != ' ' || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], ".-+$#")) {
		return 0, 0
	}
	named, behindMonth := findMonthBefore(t, i)
	if s.noteLookAhead(i, i+24); behindMonth {
		s.noteLookAhead(named, i+24)
	}
	if n.n >= 3 && n.sep[0] == n.sep[1] && (n.sep[2] == 0 || n.sep[2] == ' ') && isOneOf(n.sep[0], "/-. ") {
		return n.findNumericDate(t)
	}
	d := parseDecimal(t[i:n.end[0]])
	if n.countDigits(0) > 2 || d < 1 || d > 31 {
		return 0, 0
	}
	j := findOrdinalEnd(t, n.end[0])
	if !behindMonth {
		return i, findMonthAndYear(t, j)
	}
	if j < len(t) && t[j] == ',' {
		j++
	}
	return named, findYearAt(t, j)
}

// findNumericDate reads the first three groups as a date in digits. A year of two digits
// comes last.
func (n *numbers) findNumericDate(t string) (from, to int) {
	var d [3]int
	for k := range d {
		d[k] = parseDecimal(t[n.start[k]:n.end[k]])
	}
	i, j := n.start[0], n.end[2]
	if j < len(t) && isWordByte(t[j]) && t[j] != 'T' {
		return 0, 0
	}
	century := func(year int) bool { return year > 1880 && year < 2100 }
	switch {
	case n.countDigits(0) == 4 && century(d[0]) && isCalendarDate(d[0], d[1], d[2]):
		return i, j
	case n.countDigits(0) > 2 || n.countDigits(2) != 2 && (n.countDigits(2) != 4 || !century(d[2])):
		return 0, 0
	case isCalendarDate(d[2], d[1], d[0]) || isCalendarDate(d[2], d[0], d[1]):
		return i, j
	}
	return 0, 0
}

// findOrdinalEnd returns the end of an English ordinal's suffix at j, or j.
func findOrdinalEnd(t string, j int) int {
	for _, suffix := range [...]string{"st", "nd", "rd", "th"} {
		if hasFold(t, j, suffix) {
			return j + len(suffix)
		}
	}
	return j
}

// findMonthAndYear reads the name of a month behind the day that ends at j and a year behind
// it, and returns the end of the year, or 0.
func findMonthAndYear(t string, j int) int {
	for _, skip := range [...]string{" of ", ". ", " de ", " ", "-"} {
		if !hasFold(t, j, skip) {
			continue
		}
		k := j + len(skip)
		e := k
		for e < len(t) && e-k < 12 && (isLetterByte(t[e]) || t[e] >= 0x80) {
			e++
		}
		if parseMonth(t[k:e]) == 0 {
			continue
		}
		if e < len(t) && (t[e] == ',' || t[e] == '.') {
			e++
		}
		if hasFold(t, e, " de") {
			e += 3
		}
		if end := findYearAt(t, e); end > 0 {
			return end
		}
	}
	return 0
}

// findMonthBefore returns the start of the month's name before i.
func findMonthBefore(t string, i int) (int, bool) {
	if i < 4 || t[i-1] != ' ' {
		return 0, false
	}
	j := i - 1
	if t[j-1] == '.' {
		j--
	}
	k := j
	for k > 0 && j-k < 12 && (isLetterByte(t[k-1]) || t[k-1] >= 0x80) {
		k--
	}
	return k, parseMonth(t[k:j]) > 0 && (k == 0 || !isWordByte(t[k-1]))
}

// findYearAt returns the end of a four-digit year behind one separator, or 0.
func findYearAt(t string, i int) int {
	if i >= len(t) || t[i] != ' ' && t[i] != '-' && t[i] != '/' {
		return 0
	}
	j := i + 1
	for j < len(t) && j-i < 6 && isDigitByte(t[j]) {
		j++
	}
	if j-i != 5 || t[i+1] != '1' && t[i+1] != '2' || j < len(t) && isWordByte(t[j]) {
		return 0
	}
	return j
}
