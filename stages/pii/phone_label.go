package pii

import "strings"

// phoneLabels say behind a number which phone it is.
var phoneLabels = toSet(strings.Fields(`office fax mobile cell home work desk phone tel telephone mob mobil handy privat dienstlich
	festnetz portable bureau domicile fixe casa oficina trabajo celular cellulare ufficio thuis werk mobiel kontor arbejde arbete`)...)

const (
	// labelledScore is what a number with a label behind it is worth.
	labelledScore = 0.55
	// labelMax is the length of the longest label.
	labelMax = 10
)

// labelled reports whether the number t[from:end], whose groups are those up to last, has a label behind it that ends its line or
// its part of a list: "655 437 108 office", "3660170548-Fax", "030 901820 (work)". A single group must be joined to the label or be
// as long as a number with its area: programs count in one piece.
func labelled(s *scan, from, end, last int) bool {
	t, n := s.v.s, &s.num
	if n.end[last]-n.start[0] < 7 {
		return false
	}
	j := end
	for j < len(t) && j-end < 3 && within(t[j], " -(") {
		j++
	}
	k := j
	for k < len(t) && k-j <= labelMax && letter(t[k]) {
		k++
	}
	s.noteLookAhead(from, k+1)
	if j == end || k == j || k-j > labelMax || !phoneLabels[strings.ToLower(t[j:k])] {
		return false
	}
	if last == 0 && n.digits(0) < 9 && !strings.ContainsAny(t[end:j], "-(") {
		return false
	}
	if byteAt(t, k) == '.' {
		s.noteLookAhead(from, k+2)
	}
	return k == len(t) || within(t[k], "\n\r,;|)\"'<\\") || t[k] == '.' && (k+1 == len(t) || !word(t[k+1]))
}
