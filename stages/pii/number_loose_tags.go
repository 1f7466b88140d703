package pii

// tagMax bounds a tag of markup that may be in a value, such as "</strong>".
const tagMax = 12

// findTagEnd returns the end of the tag at i, a name without attributes. It returns i if i is not at a tag, and more
// than the length of the text if more text could complete one.
func findTagEnd(t string, i int) int {
	if i >= len(t) || t[i] != '<' {
		return i
	}
	for j := i + 1; j < i+tagMax; j++ {
		switch {
		case j >= len(t):
			return len(t) + 1
		case t[j] == '>' && j > i+1:
			return j + 1
		case !isAlnum(t[j]) && t[j] != '/':
			return i
		}
	}
	return i
}

// findTagStart returns the start of the tag that ends at i, or i.
func findTagStart(t string, i int) int {
	if i == 0 || t[i-1] != '>' {
		return i
	}
	for j := i - 2; j >= 0 && j > i-1-tagMax; j-- {
		if t[j] == '<' {
			if findTagEnd(t, j) == i {
				return j
			}
			return i
		}
	}
	return i
}

// findLooseAt recognises an address whose '@', at t[at:dom], is in brackets or
// tags or between spaces: "anna [@] example.org", "anna @ example . org".
func findLooseAt(s *scan, at, dom int) (int, int, float32) {
	t, a, d := s.v.s, at, dom
	if a == 0 {
		return 0, 0, 0
	}
	spaces, closing := 0, byte(0)
	switch t[a-1] {
	case '[', '(', '{':
		a--
		closing = t[a] + 2
		if t[a] == '(' {
			closing = ')'
		}
	case '>':
		a = findTagStart(t, a)
	}
	if a > 0 && t[a-1] == ' ' {
		a--
		spaces++
	}
	from := s.findLocalStart(a)
	if from == a {
		return 0, 0, 0
	}
	s.noteLookAhead(from, d+3)
	if closing != 0 {
		if d >= len(t) || t[d] != closing {
			return 0, 0, 0
		}
		d++
	}
	if e := findTagEnd(t, d); e > d {
		s.noteLookAhead(from, e+1)
		if d = e; d >= len(t) {
			return 0, 0, 0
		}
	}
	if d < len(t) && t[d] == ' ' {
		d++
		spaces += 2
	}
	if spaces > 0 && a == at-1 && d <= dom+1 { // spaces alone
		if spaces == 1 || isProsaic(t[from:a]) || hasFold(t, d, "www.") {
			return 0, 0, 0 // a handle: "thanks @example.org"
		}
		end, _ := s.findWrittenDomain(from, d, true, dotForms)
		if end == d {
			return 0, 0, 0
		}
		return from, end, 0.6
	}
	if a == at && d == dom {
		return 0, 0, 0
	}
	end, _ := s.findWrittenDomain(from, d, spaces == 2 && a == at, dotForms)
	if end == d || isRemotePath(s, from, at, end) {
		return 0, 0, 0
	}
	return from, end, 0.8
}
