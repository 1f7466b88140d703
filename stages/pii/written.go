package pii

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Addresses written so that programs do not see them: "anna (at) example [dot]
// org", "anna at example dot org", "anna@example[.]org".

// dotForms are the ways of writing a '.' in a domain.
var dotForms = []string{"[.]", "(.)", "[dot]", "(dot)", " [dot] ", " (dot) ", "[DOT]", "(DOT)", " dot ", " [.] ", " (.) ", " DOT "}

// oneOf answers the length of the first of some forms that stands at i, and
// whether more text could make it one.
func oneOf(t string, i int, forms []string) (n int, open bool) {
	rest := t[i:]
	for _, f := range forms {
		if strings.HasPrefix(rest, f) {
			return len(f), false
		}
		open = open || len(rest) < len(f) && strings.HasPrefix(f, rest)
	}
	return 0, open
}

// bracketedAt recognises an address around the "(at)" at i.
func (s *scan) bracketedAt(i int) (int, int, float32) {
	t := s.v.s
	at := i
	if at > 0 && t[at-1] == ' ' {
		at--
	}
	from := s.localStart(at)
	if from == at {
		return 0, 0, 0
	}
	dom := i + len(writtenForms[0])
	s.ahead(from, dom+2)
	if dom < len(t) && t[dom] == ' ' {
		dom++
	}
	end := s.writtenDomain(from, dom)
	if end == dom {
		return 0, 0, 0
	}
	return from, end, 0.9
}

// bracketed are the forms of dots that may stand behind a proper '@'.
var bracketed = dotForms[:4]

// bracketedDots answers where the domain at dom ends if it goes on, behind end
// or its first label, with a dot in brackets.
func (s *scan) bracketedDots(from, dom, end int) int {
	t, k := s.v.s, max(dom, end)
	for k < len(t) && k-dom < 64 && (alnum(t[k]) || t[k] == '-') {
		k++
	}
	if k == dom {
		return end
	}
	if n, open := oneOf(t, k, bracketed); n == 0 {
		if open && k < len(t) {
			s.ahead(from, len(t)+1)
		}
		return end
	}
	return s.writtenDomain(from, dom)
}

// writtenDomain answers where a domain ends that begins at i and whose dots may
// be written out, or i. from is where the address begins.
func (s *scan) writtenDomain(from, i int) int {
	t := s.v.s
	end, labels := i, 0
	for j := i; j-i < emailDomainMax; {
		k := j
		for k < len(t) && k-j < 64 {
			r, n := rune(t[k]), 1
			if r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(t[k:])
			}
			if r != '-' && !inWord(r) {
				break
			}
			k += n
		}
		s.ahead(from, k+1)
		if k == j || t[j] == '-' || t[k-1] == '-' {
			break
		}
		if labels++; labels > 1 && topLevel(t, j, k) == k {
			end = k
		}
		if k < len(t) && t[k] == '.' {
			s.ahead(from, k+2)
			j = k + 1
			continue
		}
		n, open := oneOf(t, k, dotForms)
		if open {
			s.ahead(from, len(t)+1)
		}
		if n == 0 {
			break
		}
		j = k + n
	}
	return end
}

// writtenForms are what is searched for: nothing else in such an address stops
// the scanner. The last one is common enough in prose to cost time, and is left
// out when the first six types are all there is.
var writtenForms = [...]string{"(at)", "[at]", " dot "}

// findWritten looks for the first of each form.
func (s *scan) findWritten() {
	for k := range writtenForms {
		s.next[k] = len(s.v.s)
		if k < 2 || s.e.wide {
			s.seek(k, s.from)
		}
	}
	s.written = slices.Min(s.next[:])
}

// seek moves on to the next place of a form from i on.
func (s *scan) seek(k, i int) {
	t := s.v.s
	if s.next[k] = len(t); i < len(t) {
		if n := strings.Index(t[i:], writtenForms[k]); n >= 0 {
			s.next[k] = i + n
		}
	}
}

// writtenBefore judges the written addresses whose form stands before i, and
// answers where the last of them ends.
func (s *scan) writtenBefore(i int) (end int) {
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
		if k < 2 {
			from, to, score = s.bracketedAt(at)
		} else {
			from, to, score = s.spokenDot(at)
		}
		s.best.End, s.bestTo, s.at = 0, at, at
		if score > 0 {
			s.consider(s.e.email, from, to, score)
		}
		if s.best.End > 0 && s.keep(s.best) {
			end = max(end, to)
		}
		s.seek(k, max(at+1, end))
	}
}

// spokenDot recognises "anna at example dot org" at its first " dot ".
func (s *scan) spokenDot(dot int) (int, int, float32) {
	t, low := s.v.s, s.v.back(dot, lookBack)
	a := dot
	for a > low && (alnum(t[a-1]) || t[a-1] == '-' || t[a-1] == '.') {
		a--
	}
	if a-4 <= low || a == dot || t[a-4:a] != " at " {
		return 0, 0, 0
	}
	from := s.localStart(a - 4)
	if from == a-4 {
		return 0, 0, 0
	}
	end := s.writtenDomain(from, a)
	if end <= dot {
		return 0, 0, 0
	}
	return from, end, 0.8
}
