package pii

import (
	"strings"
	"unicode/utf8"
)

// dotForms are the spellings of a '.' in a domain. Those before spacedDots also count behind a proper '@'. The last one,
// which occurs in prose, counts only if the '@' has spaces around it too.
var dotForms = []string{
	"[.]", "(.)", "[dot]", "(dot)", "{.}", "{dot}", "<dot>", "&#46;", "&period;", "<b>.</b>", "<span>.</span>", "</span>.", "</b>.", "</i>.",
	" [dot] ", " (dot) ", " {dot} ", " <dot> ", "[DOT]", "(DOT)", " [DOT] ", " (DOT) ", " dot ", " [.] ", " (.) ", " DOT ",
	"[ dot ]", "( dot )", " [ dot ] ", " ( dot ) ", "_dot_", "_DOT_", "__DOT__", "-dot-", " -dot- ", "(punkt)", " (punkt) ", " punkt ",
	" . ",
}

const spacedDots = 14

// bracketed are the forms of dots that may follow a proper '@'.
var bracketed = dotForms[:spacedDots]

// dotOpens has their first bytes.
var dotOpens = [256]bool{'[': true, '(': true, '{': true, '<': true, '&': true}

// proseDots lacks the form that occurs in prose.
var proseDots = dotForms[:len(dotForms)-1]

// matchForm returns the length of the first form in the list that is at i, and
// whether more text could make it one.
func matchForm(t string, i int, forms []string) (n int, open bool) {
	rest := t[i:]
	for _, f := range forms {
		if strings.HasPrefix(rest, f) {
			return len(f), false
		}
		open = open || len(rest) < len(f) && strings.HasPrefix(f, rest)
	}
	return 0, open
}

// findBracketedDots returns the end of the domain at dom if it continues, behind end or its first label, with a dot in
// brackets.
func (s *scan) findBracketedDots(from, dom, end int) int {
	t, k := s.v.s, max(dom, end)
	for k < len(t) && k-dom < 64 && (isAlnum(t[k]) || t[k] == '-') {
		k++
	}
	if k == dom || k == len(t) || !dotOpens[t[k]] {
		return end
	}
	if n, open := matchForm(t, k, bracketed); n == 0 {
		if open {
			s.noteLookAhead(from, len(t)+1)
		}
		return end
	}
	to, _ := s.findWrittenDomain(from, dom, false, proseDots)
	return to
}

// findWrittenDomain returns the end of the domain at i, whose dots may be spelled out, or i, and whether one is. from is the
// start of the address, forms are the accepted dots. The last label of a strict domain is a common top-level domain.
func (s *scan) findWrittenDomain(from, i int, strict bool, forms []string) (end int, written bool) {
	t := s.v.s
	end = i
	labels, out := 0, false
	for j := i; j-i < emailDomainMax; {
		k := j
		for k < len(t) && k-j < 64 {
			r, n := rune(t[k]), 1
			if r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(t[k:])
			}
			if r == '-' && n == 1 && (hasFold(t, k, "-dot-") || hasFold(t, k, "-at-")) || r != '-' && !isWordRune(r) {
				break
			}
			k += n
		}
		s.noteLookAhead(from, k+5)
		if k == j || t[j] == '-' || t[k-1] == '-' {
			break
		}
		if labels++; labels > 1 && findTopLevelEnd(t, j, k) == k && (!strict || isInSet(topLevels, t[j:k])) {
			end, written = k, out
		}
		if k < len(t) && t[k] == '.' {
			s.noteLookAhead(from, k+2)
			j = k + 1
			continue
		}
		n, open := matchForm(t, k, forms)
		if open {
			s.noteLookAhead(from, len(t)+1)
		}
		if n == 0 {
			break
		}
		j, out = k+n, true
	}
	return end, written
}
