package pii

import "strings"

// phoneLabels follow a number and name the kind of phone.
var phoneLabels = buildSet(strings.Fields(`office fax mobile cell home work desk phone tel telephone mob mobil handy privat dienstlich
	festnetz portable bureau domicile fixe casa oficina trabajo celular cellulare ufficio thuis werk mobiel kontor arbejde arbete`)...)

const (
	// labelledScore is the score of a number with a label behind it.
	labelledScore = 0.55
	// labelMax is the length of the longest label.
	labelMax = 10
)

// isLabelled reports whether the number t[from:end], whose last group is last, has a label behind it that ends its line or
// its part of a list: "655 437 108 office", "3660170548-Fax", "030 901820 (work)". A single group must be joined to the
// label or be as long as a number with its area, because programs print counts in one piece.
func isLabelled(s *scan, from, end, last int) bool {
	t, n := s.v.s, &s.num
	if n.end[last]-n.start[0] < 7 {
		return false
	}
	j := end
	for j < len(t) && j-end < 3 && isOneOf(t[j], " -(") {
		j++
	}
	k := j
	for k < len(t) && k-j <= labelMax && isLetterByte(t[k]) {
		k++
	}
	s.noteLookAhead(from, k+1)
	if j == end || k == j || k-j > labelMax || !phoneLabels[strings.ToLower(t[j:k])] {
		return false
	}
	if last == 0 && n.countDigits(0) < 9 && !strings.ContainsAny(t[end:j], "-(") {
		return false
	}
	if findByteAt(t, k) == '.' {
		s.noteLookAhead(from, k+2)
	}
	return k == len(t) || isOneOf(t[k], "\n\r,;|)\"'<\\") || t[k] == '.' && (k+1 == len(t) || !isWordByte(t[k+1]))
}

// isIntroduced reports whether the number at from has nine to twelve digits, with its area, behind "contact no", or starts
// with the trunk zero behind the letter of a letterhead: "T: 020 7946 0958".
func isIntroduced(s *scan, from, last int) bool {
	t, n := s.v.s, &s.num
	digits := 0
	for k := range last + 1 {
		digits += n.countDigits(k)
	}
	if digits < 9 || digits > 12 || from < 2 {
		return false
	}
	head := strings.TrimRight(t[s.v.stepBack(from, 20):from], " :=.")
	if k := len(head) - len("contact no"); k >= 0 && hasFold(head, k, "contact no") {
		return true
	}
	k := len(head) - 1
	if t[n.start[0]] != '0' || last == 0 || t[from-2:from] != ": " || k < 0 {
		return false
	}
	return isOneOf(head[k], "TMFPtmfp") && (k == 0 || isOneOf(head[k-1], " \n|,;>"))
}
