package pii

import (
	"slices"
	"strings"
)

// Addresses written so that programs do not see them: "anna (at) example [dot]
// org", "anna at example dot org", "anna@example[.]org".

// writtenForms are what is searched for, since nothing else in such an address
// stops the scanner. A bare at needs the space behind it, and capitals. The last
// two are common enough in prose to cost time, and are left out when the first
// six types are all there is; the first two, when there are more, as the scanner
// stops at brackets then.
var writtenForms = [...]string{"(at)", "[at]", " dot ", "AT ", "word "}

const (
	formDot   = 2
	formUpper = 3
	// formPassword begins no address but what somebody says of a password.
	formPassword = 4
)

// isSearched reports whether form k is looked for.
func (e *Engine) isSearched(k int) bool {
	if k == formPassword {
		return e.password != nil
	}
	return e.email != nil && e.wide == (k >= formDot)
}

// findWrittenForms looks for the first of each form.
func (s *scan) findWrittenForms() {
	for k := range writtenForms {
		s.next[k] = len(s.v.s)
		if s.e.isSearched(k) {
			s.seek(k, max(0, s.from-len(writtenForms[k])-1))
		}
	}
	s.written = slices.Min(s.next[:])
}

// seek moves on to the next place of a form from i on.
func (s *scan) seek(k, i int) {
	t := s.v.s
	if k == formPassword {
		s.next[k] = findSpokenPasswordFrom(t, i)
		return
	}
	if s.next[k] = len(t); i < len(t) {
		if n := strings.Index(t[i:], writtenForms[k]); n >= 0 {
			s.next[k] = i + n
		}
	}
}

// findWrittenBefore judges the written addresses whose form precedes i, and
// answers where the last of them ends.
func (s *scan) findWrittenBefore(i int) (end int) {
	for {
		k := 0
		for n := range s.next {
			if s.next[n] < s.next[k] {
				k = n
			}
		}
		at := s.next[k]
		if s.written = at; at >= i {
			return end
		}
		from, to, score := 0, 0, float32(0)
		switch k {
		case formDot:
			from, to, score = findSpokenDot(s, at)
		case formUpper:
			from, to, score = findUpperAt(s, at)
		case formPassword:
			from, to, score = findSpokenPassword(s, at)
		default:
			from, to, score = findBracketedAt(s, at)
		}
		s.best.End, s.bestTo, s.at = 0, at, at
		if score > 0 {
			d := s.e.email
			if k == formPassword {
				d = s.e.password
			}
			s.offerMatch(d, from, to, score)
		}
		if s.best.End > 0 && s.addMatch(s.best) {
			end = max(end, to)
		}
		s.seek(k, max(at+1, end))
	}
}

// findSpokenDot recognises "anna at example dot org" at its first " dot ".
func findSpokenDot(s *scan, dot int) (int, int, float32) {
	t, low := s.v.s, s.v.stepBack(dot, lookBack)
	a := dot
	for a > low && (isAlnum(t[a-1]) || t[a-1] == '-' || t[a-1] == '.') {
		a--
	}
	if a-4 <= low || a == dot || t[a-4:a] != " at " {
		return 0, 0, 0
	}
	from := s.findLocalStart(a - 4)
	if from == a-4 || isProsaic(t[from:a-4]) || isProsaic(t[a:dot]) {
		return 0, 0, 0
	}
	end, _ := s.findWrittenDomain(from, a, !hasMarks(t[from:a-4]), proseDots)
	if end <= dot {
		return 0, 0, 0
	}
	return from, end, 0.8
}
