package pii

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// mayBeLoose reports whether the number that starts with the group t[i:j] can continue in a way that a regular number
// cannot.
func (s *scan) mayBeLoose(i, j int) bool {
	t, n := s.v.s, &s.num
	if j-i > 12 {
		return false
	}
	e := j
	if n.n > 0 {
		e = n.end[n.n-1]
		if i > 0 && n.prev != 0 {
			return false
		}
		if n.n > 1 && n.total >= 9 && n.total <= 19 && n.hasOddGroups() {
			return true
		}
	}
	if e >= len(t) {
		return false
	}
	switch looseFirst[t[e]] {
	case looseAlone:
		return true
	case looseSpace:
		return e+1 >= len(t) || isDigitByte(t[e+1]) || looseStart[t[e+1]]
	}
	return false
}

// hasOddGroups reports whether groups that one separator or another joins are such as
// only a loosely written number has.
func (n *numbers) hasOddGroups() bool {
	switch {
	case n.n == 3 && n.total == 9:
		return n.sep[0] == '_' || n.sep[0] == '/' || n.sep[0] == mixed
	case n.n == 2:
		return n.total >= 15 && n.total <= 16
	case n.n == 3 && n.total >= 14 && n.total <= 19 && !areCardGroups(n, n.n):
		return true
	case n.n == 8 && n.total == 16, n.n == 9 && n.total == 9:
		return true
	case n.total < 14 || n.sep[0] == mixed:
		return false
	}
	for k := 1; k < n.n-1; k++ {
		if n.sep[k] != n.sep[0] && n.sep[k] != mixed {
			return true
		}
	}
	return false
}

const (
	looseSpace = 1 + iota // more must follow
	looseAlone
)

// looseFirst has the bytes with which a gap between groups begins.
var looseFirst = [256]uint8{
	' ':  looseSpace,
	'\t': looseSpace,
	'\n': looseSpace,
	'\r': looseSpace,
	',':  looseSpace,
	';':  looseSpace,
	'|':  looseSpace,
	'*':  looseSpace,
	'+':  looseSpace,
	'-':  looseSpace,
	'.':  looseSpace,
	'/':  looseSpace,
	'_':  looseSpace,
	')':  looseSpace,
	'(':  looseSpace,
	'[':  looseAlone,
	'{':  looseAlone,
	'<':  looseAlone,
	'&':  looseAlone,
	'%':  looseSpace,
	'\\': looseAlone,
	0xE2: looseAlone,
}

// looseStart has the bytes that may follow the first one between two groups.
var looseStart = [256]bool{
	' ':  true,
	'\t': true,
	'\n': true,
	'-':  true,
	'.':  true,
	'/':  true,
	'_':  true,
	'<':  true,
	'&':  true,
	'(':  true,
	'|':  true,
	'*':  true,
	'[':  true,
}

// findLooseNumber recognises cards, social security numbers and phone numbers whose
// groups are set apart in an odd way, and addresses with dots in brackets, at the
// first group t[i:j]. The run must be whole: nothing of the kind goes on before
// or behind it.
func (s *scan) findLooseNumber(i, j int) {
	t := s.v.s
	if i > 0 && (t[i-1] == '.' || isWordByte(t[i-1]) && !s.followsSSNLabel(i) && !isGlued(t, i)) {
		return
	}
	r, from := &s.apart, i
	if i > 0 && t[i-1] == '+' {
		from--
	}
	if s.readWhole(i, from) {
		return
	}
	reach, ok := r.load(t, i, j)
	s.noteLookAhead(from, reach)
	if !ok || r.n < 2 || r.total < 7 {
		return
	}
	end := r.end[r.n-1]
	s.noteLookAhead(from, end+2)
	if end < len(t) && isWordByte(t[end]) || s.followsLooseDigits(i) {
		return
	}
	if d := s.e.loose[looseCard]; d != nil && r.total >= 14 && r.total <= 19 {
		if score := r.scoreCard(t); score > 0 {
			s.offerMatch(d, i, end, score)
		}
	}
	if d := s.e.loose[looseSSN]; d != nil && r.isSSN(t) {
		s.offerMatch(d, i, end, 0.3)
	}
	if d := s.e.loose[looseIP]; d != nil && r.n == 4 && r.layout == dotted {
		if !r.beginsWithOctets(t) {
			return
		}
		s.offerMatch(d, i, end, 0.8)
	}
	if d := s.e.loose[loosePhone]; d != nil && r.layout <= wideGap && r.n >= 2 {
		s.findLoosePhone(d, i, end)
	}
}

// isSSN reports whether the groups are those of a social security number, or its digits one
// by one.
func (r *loose) isSSN(t string) bool {
	if r.total != 9 || !r.is(3, 2, 4) && !r.hasInEach(1) {
		return false
	}
	var b [9]byte
	c := b[:0]
	for k := range r.n {
		c = append(c, t[r.start[k]:r.end[k]]...)
	}
	g := zerocopy.String(c)
	return passesSSNRules(g[:3], g[3:5], g[5:])
}

// beginsWithOctets reports whether the first four groups are parts of an IPv4 address.
func (r *loose) beginsWithOctets(t string) bool {
	for k := range 4 {
		if !isOctet(t[r.start[k]:r.end[k]]) {
			return false
		}
	}
	return true
}

// scoreCard judges the digits as those of a card. What is laid out as on cards needs no
// telling word, unless the cells of a table could be.
func (r *loose) scoreCard(t string) float32 {
	var b [looseDigits]byte
	d := r.appendDigits(b[:0], t)
	if usual, _ := checkIssuer(d); !usual || !passesLuhn(d) {
		return 0
	}
	last := r.total - 12
	if (r.is(4, 4, 4, last) || r.is(4, 6, 5)) && r.layout == wideGap {
		return looseCardScore
	}
	return spokenScore
}

// looseCardScore is what digits are worth that are laid out as on cards.
const looseCardScore = 0.6

// findLoosePhone judges a number with its country code.
func (s *scan) findLoosePhone(d *detector, i, end int) {
	t, r := s.v.s, &s.apart
	plus := i > 0 && t[i-1] == '+' && (i == 1 || !isWordByte(t[i-2]) && t[i-2] != '+')
	if !plus {
		if r.end[0]-r.start[0] == 1 && t[r.end[0]] == '.' && r.end[1]-r.start[1] == 1 {
			return // a version
		}
		if t[i] == '0' && !r.endsInDate(t) && r.total >= 8 && r.total <= 13 && (i == 0 || !isOneOf(t[i-1], ".-+#$/:")) {
			s.offerMatch(d, i, end, 0.2)
		}
		return
	}
	if i > 1 && isOneOf(t[i-2], ")]") || r.hasColumns(t) || isClockReading(t, i) {
		return // a sum, a table, a time
	}
	var b [looseDigits]byte
	v := r.appendDigits(b[:0], t)
	cc, size := 0, 0
	for size < 3 && (cc == 0 || callingCodes[cc].max == 0) {
		cc = cc*10 + int(v[size])
		size++
	}
	if c := callingCodes[cc]; c.max != 0 && r.total >= size+max(int(c.min), 6) && r.total <= size+int(c.max)+1 {
		s.offerMatch(d, i-1, end, 0.6)
	}
}

// endsInDate reports whether the last three groups are a date with the year first, as behind the version in a changelog:
// "0.31  2022-01-06".
func (r *loose) endsInDate(t string) bool {
	k := r.n - 3
	if k < 1 || r.end[k]-r.start[k] != 4 || r.end[k+1]-r.start[k+1] != 2 || r.end[k+2]-r.start[k+2] != 2 {
		return false
	}
	return isOneOf(t[r.end[k]], "-/.") && t[r.end[k]] == t[r.end[k+1]] && isOneOf(t[r.start[k]], "12")
}

// hasColumns reports whether a gap between two groups has four spaces or more, as between the columns of a table.
func (r *loose) hasColumns(t string) bool {
	for k := 1; k < r.n; k++ {
		if strings.Contains(t[r.end[k-1]:r.start[k]], "    ") {
			return true
		}
	}
	return false
}

// followsLooseDigits reports whether digits precede i with a gap that a number may
// have.
func (s *scan) followsLooseDigits(i int) bool {
	t := s.v.s
	for j := i - 1; j >= 0 && j >= i-looseGap; j-- {
		if isDigitByte(t[j]) {
			_, next, _ := readLooseSeparator(t, j+1)
			return next == i
		}
		if isLetterByte(t[j]) && t[j] != 'r' && t[j] != 'b' && t[j] != 't' && t[j] != 'd' && t[j] != 'n' && t[j] != 's' && t[j] != 'p' {
			return false
		}
	}
	return false
}

// followsSSNLabel reports whether the letters before i are "SSN".
func (s *scan) followsSSNLabel(i int) bool {
	return i >= 3 && hasFold(s.v.s, i-3, "ssn") && (i == 3 || !isWordByte(s.v.s[i-4]))
}

// The types that findLooseNumber looks for.
const (
	looseCard = iota
	looseSSN
	looseIP
	loosePhone
	looseTypes
)

var looseNames = [looseTypes]string{"CREDIT_CARD", "US_SSN", "IP_ADDRESS", "PHONE"}
