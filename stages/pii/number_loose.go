package pii

// A layout is the way in which the groups of a number are separated other than in a regular number.
type layout uint8

const (
	together layout = iota
	wideGap         // spaces, dashes, dots and other marks
	column          // a tab, a line break, tags: the next cell of a table as well
	listed          // commas: a list as well
	dotted          // a dot in brackets, which only an address has
)

// looseGap bounds what is between two groups; looseMax is how many groups a
// number may have.
const (
	looseGap = 12
	looseMax = 19
)

// readLooseSeparator reads what is between two groups of digits at t[i:]. next is the start of the next group, or 0. The scan has
// inspected everything before reach.
func readLooseSeparator(t string, i int) (l layout, next, reach int) {
	l = together
	for j := i; ; {
		if j >= len(t) || j-i > looseGap {
			return l, 0, j + 1
		}
		c := t[j]
		if isDigitByte(c) {
			if j == i {
				return l, 0, j + 1
			}
			return l, j, j + 1
		}
		k, w := j+1, wideGap
		switch c {
		case ' ', '-', '.', '/', '_', ')':
		case '\t', '\n', '\r':
			w = column
		case '|', '*', '+':
		case ',', ';':
			w = listed
		case '[', '{', '(':
			switch k = findBracketedDot(t, j); {
			case k > j:
				w = dotted
			case c != '(':
				return l, 0, j + 6
			default:
				k = j + 1
			}
		case '<':
			if k = findTagEnd(t, j); k == j || k > len(t) {
				return l, 0, max(k, j+tagMax)
			}
			w = column
		case '&':
			if k = findSpaceEntity(t, j); k == j {
				return l, 0, j + 7
			}
		case '%', '\\':
			if k = skipCodedSpace(t, j); k == j {
				return l, 0, j + codedMax + 1
			}
		case 0xE2: // a bullet
			if len(t)-j < 3 || t[j:j+3] != "\u2022" {
				return l, 0, j + 3
			}
			k = j + 3
		default:
			return l, 0, j + 1
		}
		l, j = max(l, w), k
	}
}

// findBracketedDot returns the end of a bracketed dot at i, such as "[.]" or "[dot]"; or i.
func findBracketedDot(t string, i int) int {
	for _, f := range [...]string{".", "dot"} {
		if j := i + 1 + len(f); hasFold(t, i+1, f) && j < len(t) && t[j] == findClosing(t[i]) {
			return j + 1
		}
	}
	return i
}

// findSpaceEntity returns the end of a space or dash written as an entity, or i.
func findSpaceEntity(t string, i int) int {
	for _, f := range [...]string{"&nbsp;", "&#160;", "&#32;", "&#45;"} {
		if len(t)-i >= len(f) && t[i:i+len(f)] == f {
			return i + len(f)
		}
	}
	return i
}

// codedSpaces are spaces and dashes in URLs and JSON escapes. If one is a prefix of another, the shorter comes first.
var codedSpaces = [...]string{
	"%20", "%2d", "%09", "%c2%a0", `\u0020`, `\u00a0`, `\u2007`, `\u2009`, `\u202f`, `\u002d`, `\u2010`, `\u2011`, `\u2013`,
}

// codedMax is the length of the longest of them.
const codedMax = 6

// skipCodedSpace returns the end of the encoded space or dash at i, or i.
func skipCodedSpace(t string, i int) int {
	for _, f := range codedSpaces {
		if hasFold(t, i, f) {
			return i + len(f)
		}
	}
	return i
}

// loose is a run of groups of digits separated by anything that a human reader would ignore.
type loose struct {
	n          int
	start, end [looseMax]int
	layout     layout // the least regular in the run
	total      int
}

// looseDigits is one more than the maximum of digits in a run.
const looseDigits = 20

// load reads the run that starts with t[i:j]. The scan has looked at everything before reach; ok is false if the run is too
// long for any number.
func (r *loose) load(t string, i, j int) (reach int, ok bool) {
	r.n, r.total, r.layout = 0, 0, together
	for {
		if r.n == looseMax || r.total+j-i >= looseDigits {
			return j + 1, false
		}
		r.total += j - i
		r.start[r.n], r.end[r.n] = i, j
		r.n++
		l, next, reach := readLooseSeparator(t, j)
		if next == 0 {
			return reach, true
		}
		r.layout = max(r.layout, l)
		i = next
		for j = i; j < len(t) && isDigitByte(t[j]) && j-i <= looseDigits; {
			j++
		}
	}
}

// appendDigits appends the values of the digits to d.
func (r *loose) appendDigits(d []byte, t string) []byte {
	for k := range r.n {
		for _, c := range []byte(t[r.start[k]:r.end[k]]) {
			d = append(d, c-'0')
		}
	}
	return d
}

// is reports whether the groups have the given lengths.
func (r *loose) is(lengths ...int) bool {
	if r.n != len(lengths) {
		return false
	}
	for i, n := range lengths {
		if r.end[i]-r.start[i] != n {
			return false
		}
	}
	return true
}

// hasInEach reports whether all groups have n digits.
func (r *loose) hasInEach(n int) bool { return r.total == n*r.n }
