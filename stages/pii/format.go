package pii

import "strings"

// Bounds of a run of groups of letters and digits.
const (
	runChars  = 24
	runGroups = 10
	// leadMax is how many letters a group before the digits may have, as in
	// "AB 12 34 56 C".
	leadMax = 4
)

// value is text that matches a format: its characters and its separators.
type value struct {
	c     []byte
	cuts  uint32          // bit i: a separator behind character i
	sep   [runGroups]byte // the separator behind each group
	shape int             // index of the matching format of the type
}

// A shape is a compiled format: '9' is a digit, 'A' a letter, 'X' either.
type shape struct {
	d      *detector
	index  int
	chars  string
	cuts   uint32 // where separators are allowed
	must   uint32 // where a separator is required
	nines  uint32 // where a digit is required
	letter uint32 // where a letter is required
	quiet  bool   // a match counts only behind a telling word
}

// makeShape compiles a format: '9', 'A' and 'X', a '~' where a separator is allowed, and a '_' where one is required.
func makeShape(d *detector, index int, f string) shape {
	s := shape{d: d, index: index}
	var b []byte
	for _, c := range []byte(f) {
		switch c {
		case '~':
			s.cuts |= 1 << (len(b) - 1)
		case '_':
			s.cuts |= 1 << (len(b) - 1)
			s.must |= 1 << (len(b) - 1)
		default:
			switch c {
			case '9':
				s.nines |= 1 << len(b)
			case 'A':
				s.letter |= 1 << len(b)
			}
			b = append(b, c)
		}
	}
	s.chars = string(b)
	return s
}

func (s *shape) accepts(c []byte) bool {
	for i := range c {
		switch s.chars[i] {
		case '9':
			if !isDigitByte(c[i]) {
				return false
			}
		case 'A':
			if !isUpper(c[i]) {
				return false
			}
		}
	}
	return true
}

// runReach bounds how far from its digits a run is inspected.
const runReach = 64

// tryTokens runs the types with formats on the groups around the digits at i.
func (s *scan) tryTokens(i int) {
	t := s.v.s
	if n := &s.num; s.e.digits > n.total && len(t)-i > runReach && n.n > 0 && t[n.end[n.n-1]] != '+' {
		return
	}
	low := s.v.stepBack(i, tokenBack)
	a := i
	for a > low && isAlnum(t[a-1]) {
		if a--; isDigitByte(t[a]) {
			return // the token was inspected at its first digit
		}
	}
	if a == low && a > 0 && isAlnum(t[a-1]) {
		return
	}
	s.tryFormats(a)
	for g := 0; s.e.leads && g < 2 && a-2 >= low; g++ { // short groups of letters before
		if !separates(t[a-1]) || !isLetterByte(t[a-2]) {
			return
		}
		b := a - 1
		for b > low && isLetterByte(t[b-1]) {
			b--
		}
		if a-1-b > leadMax || b > 0 && isWordByte(t[b-1]) || !leads(t[b:a-1], t[a-1], g) {
			return
		}
		a = b
		s.tryFormats(a)
	}
}

// leads reports whether a group of letters can belong to the digits behind it. Before a space these must be capitals, or
// two small letters that are not a word.
func leads(w string, sep byte, g int) bool {
	if sep != ' ' && g == 0 {
		return true
	}
	for i := range len(w) {
		if !isUpper(w[i]) && (len(w) > 2 || g > 0) {
			return false
		}
	}
	switch w {
	case "NO",
		"No",
		"no",
		"NR",
		"Nr",
		"nr",
		"ID",
		"Id",
		"id",
		"is",
		"Is",
		"my",
		"at",
		"to",
		"in",
		"of",
		"on",
		"by",
		"or",
		"am",
		"it",
		"as",
		"we",
		"he",
		"an",
		"a",
		"I",
		"IS",
		"AT",
		"TO":
		return false
	}
	return true
}

// runsOnInFours reports whether the groups of r are four digits each with spaces between, and too many for one number and too few for two
// of three groups: ports and years in a list. One more group is a year or a check number.
func runsOnInFours(r *run) bool {
	fours := 0
	for ; fours < r.groups && r.ends[fours] == 4*(fours+1) && (fours == 0 || r.sep[fours-1] == ' '); fours++ {
	}
	digits := uint32(1)<<min(4*fours, 31) - 1
	return fours > 4 && fours%3 != 0 && r.digits&digits == digits
}

// isInHexRow reports whether the groups t[a:end] are in a row of a dump: before four hexadecimal digits with a letter, or before any
// four behind the offset of the row.
func isInHexRow(s *scan, a, end int) bool {
	t := s.v.s
	s.noteLookAhead(a, end+6)
	if findByteAt(t, end) == ' ' && isHexQuad(t, end+1) && !isWordByte(findByteAt(t, end+5)) && !isDigitless(t[end+1:end+5]) &&
		strings.Trim(t[end+1:end+5], digits09) != "" {
		return true
	}
	k := a - 1
	if k < 6 || t[k] != ' ' {
		return false
	}
	for k > 0 && isOneOf(t[k-1], " :") {
		k--
	}
	from := k
	for from > 0 && k-from < 9 && class[t[from-1]]&isHex != 0 {
		from--
	}
	return k < a-1 && t[k] == ':' && k-from > 3 && t[from] == '0' && t[k-1] == '0' && findByteAt(t, end) == ' ' && isHexQuad(t, end+1)
}

// tokenBack is how many raw bytes before a digit a token may begin.
const tokenBack = 64

// tryFormats tries every format on the run that begins at a.
func (s *scan) tryFormats(a int) {
	t, r := s.v.s, &s.line
	before := byte(0)
	if a > 0 {
		before = t[a-1]
		if before == '_' || before == '$' || before == '#' && a > 1 && isAlnum(t[a-2]) {
			return
		}
		if a > 1 && separates(before) && before != ' ' && isAlnum(t[a-2]) {
			return
		}
	}
	r.load(t, a)
	s.noteLookAhead(a, r.reach)
	rowOfNumbers := before == ' ' && a > 1 && isDigitByte(t[a-2])
	var cuts uint32
	for g := range r.groups {
		n := r.ends[g]
		if g > 0 {
			if rowOfNumbers {
				return
			}
			cuts |= 1 << (r.ends[g-1] - 1)
		}
		forms := s.e.formats[n]
		if len(forms) == 0 || !s.closes(r, g) {
			continue
		}
		digits := r.digits & (1<<n - 1)
		for k := range forms {
			f := &forms[k]
			if cuts&^f.cuts|f.must&^cuts|f.nines&^digits|f.letter&digits != 0 {
				continue
			}
			if (f.quiet || g == 2 && (runsOnInFours(r) || isInHexRow(s, a, r.at[g]))) && !s.isSpokenFor(a, f.d) {
				continue
			}
			s.val = value{c: r.chars[:n], cuts: cuts, sep: r.sep, shape: f.index}
			if score := f.d.check(&s.val); score > 0 {
				s.offerMatch(f.d, a, r.at[g], score)
			}
		}
	}
}
