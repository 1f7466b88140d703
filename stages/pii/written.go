package pii

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Addresses written so that programs do not see them: "anna (at) example [dot]
// org", "anna at example dot org", "anna@example[.]org".

// writtenForms are what is searched for, since nothing else in such an address
// stops the scanner. A bare at needs the space behind it, and capitals. The last
// two are common enough in prose to cost time, and are left out when the first
// six types are all there is; the first two, when there are more, as the scanner
// stops at brackets then.
var writtenForms = [...]string{"(at)", "[at]", " dot ", "AT "}

const (
	formDot   = 2
	formUpper = 3
)

// searched reports whether form k is looked for.
func (e *Engine) searched(k int) bool { return e.wide == (k >= formDot) }

// findWritten looks for the first of each form.
func (s *scan) findWritten() {
	for k := range writtenForms {
		s.next[k] = len(s.v.s)
		if s.e.searched(k) {
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
		switch k {
		case formDot:
			from, to, score = s.spokenDot(at)
		case formUpper:
			from, to, score = s.upperAt(at)
		default:
			from, to, score = s.bracketedAt(at)
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

// bracket judges the written address around the bracket at i, and answers where to
// go on.
func (s *scan) bracket(i int) int {
	if t := s.v.s; i+2 < len(t) {
		c := t[i+1]
		if c == ' ' {
			c = t[i+2]
		}
		if c|0x20 != 'a' && c != 0xC3 {
			return i + 1
		}
	}
	s.best.End, s.bestTo, s.at = 0, i+1, i
	if from, to, score := s.bracketedAt(i); score > 0 {
		s.consider(s.e.email, from, to, score)
	}
	return s.settled(i + 1)
}

// atWords are what stands for an '@' in brackets; a single letter less surely.
var atWords = toSet("at", "ät", "arroba", "arobase", "a")

// atWordMax bounds what stands in the brackets.
const atWordMax = 9

// bracketedAt recognises an address around "(at)", "[ at ]" or the like at i.
func (s *scan) bracketedAt(i int) (int, int, float32) {
	t, j := s.v.s, i+1
	for j < len(t) && j-i <= atWordMax && (letter(t[j]) || t[j] == ' ' || t[j] >= utf8.RuneSelf) {
		j++
	}
	if j >= len(t) || closing(t[i]) != t[j] {
		return 0, 0, 0
	}
	w := strings.Trim(t[i+1:j], " ")
	if !inSet(atWords, w) {
		return 0, 0, 0
	}
	return s.writtenAt(i, j+1, len(w) == 1)
}

// closing is the bracket that closes c.
func closing(c byte) byte {
	if c == '(' {
		return ')'
	}
	return c + 2
}

// upperAt recognises an address around the "AT " at i.
func (s *scan) upperAt(i int) (int, int, float32) {
	t := s.v.s
	if i == 0 || t[i-1] != ' ' {
		return 0, 0, 0
	}
	j := i + 3
	for j < len(t) && (alnum(t[j]) || t[j] == '-') {
		j++
	}
	if len(t)-j > 1 && t[j] != '.' && t[j] < utf8.RuneSelf && !opens(t[j]) && !(t[j] == ' ' && (t[j+1]|0x20 == 'd' || opens(t[j+1]))) {
		return 0, 0, 0 // most of prose in capitals
	}
	return s.writtenAt(i, i+2, true)
}

// joinedAt recognises an address around the "_at_" or "-at-" at i.
func (s *scan) joinedAt(i int) (int, int, float32) {
	t, at, dom := s.v.s, i, i+3
	for at > 0 && t[at-1] == '_' && i-at < 2 {
		at--
	}
	for dom < len(t) && t[dom] == t[i] && dom-i < 6 {
		dom++
	}
	return s.writtenAt(at, dom, true)
}

// isJoined reports whether "_at_" or "-at-" stands at i.
func isJoined(t string, i int) bool {
	return len(t)-i >= 4 && t[i+1]|0x20 == 'a' && t[i+2]|0x20 == 't' && t[i+3] == t[i]
}

// writtenAt recognises an address whose '@' is written out as t[at:dom]. A loose
// form also occurs in prose and code: the address must look like one.
func (s *scan) writtenAt(at, dom int, loose bool) (int, int, float32) {
	t := s.v.s
	spaced := at > 0 && t[at-1] == ' '
	if spaced {
		at--
	}
	from := s.localStart(at)
	if from == at {
		return 0, 0, 0
	}
	s.ahead(from, dom+2)
	if dom < len(t) && t[dom] == ' ' {
		dom++
	}
	end, written := s.writtenDomain(from, dom, loose && !marked(t[from:at]), proseDots)
	switch {
	case end == dom:
		return 0, 0, 0
	case !loose:
		return from, end, 0.9
	case prosaic(t[from:at]) || spaced && !written && !hasLower(t[from:at]):
		return 0, 0, 0
	}
	return from, end, 0.7
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
	if from == a-4 || prosaic(t[from:a-4]) || prosaic(t[a:dot]) {
		return 0, 0, 0
	}
	end, _ := s.writtenDomain(from, a, !marked(t[from:a-4]), proseDots)
	if end <= dot {
		return 0, 0, 0
	}
	return from, end, 0.8
}

// plainAt recognises "anna at example.org" at the first '.' of the domain, behind
// a word that says what it is, or at a large provider of mailboxes; and
// "anna_at_example.org".
func plainAt(s *scan, dot int) (int, int, float32) {
	t := s.v.s
	if t[dot] != '.' && isJoined(t, dot) {
		return s.joinedAt(dot)
	}
	if t[dot] != '.' || !atBefore(t, dot) {
		return 0, 0, 0
	}
	a := dot
	for alnum(t[a-1]) || t[a-1] == '-' {
		a--
	}
	from := s.localStart(a - 4)
	if from == a-4 || prosaic(t[from:a-4]) {
		return 0, 0, 0
	}
	end, _ := s.writtenDomain(from, a, true, proseDots)
	if end <= dot || remote(t, from, a-4, end) || end < len(t) && (t[end] == '/' || t[end] == '(') {
		return 0, 0, 0
	}
	if inSet(providers, t[a:dot]) || s.phrase(from, "mail", "e-mail", "email", "contact", "reach", "correo", "courriel") {
		return from, end, 0.7
	}
	return 0, 0, 0
}

// atBefore reports whether " at " stands before the label that ends at dot.
func atBefore(t string, dot int) bool {
	a := dot
	for a > 0 && dot-a < 40 && (alnum(t[a-1]) || t[a-1] == '-') {
		a--
	}
	return a < dot && a >= 5 && t[a-4:a] == " at "
}

// providers are the names of domains that hold mailboxes of everybody.
var providers = toSet("gmail", "googlemail", "yahoo", "hotmail", "outlook", "icloud", "live", "aol", "gmx", "protonmail", "proton", "yandex", "zoho", "fastmail", "qq", "163")

// prosaicWords stand before "at" in prose, or between it and a dot.
var prosaicWords = toSet("look", "looks", "looking", "looked", "find", "found", "us", "me", "you", "them", "him", "her", "it", "see", "visit", "is", "are",
	"was", "were", "be", "sign", "login", "hosted", "available", "site", "located", "meet", "point", "arrive", "here", "there", "stay", "work", "works",
	"live", "lives", "page", "website", "blog", "more", "online", "out", "up", "in", "information", "details", "info.", "the", "a", "this", "that", "any", "each", "no", "not", "one", "every", "and", "or")

// prosaic reports whether w is a word that is no part of an address.
func prosaic(w string) bool { return inSet(prosaicWords, w) }

// inSet looks a word up whatever its case, without allocating.
func inSet(m map[string]bool, w string) bool {
	var low [14]byte
	if len(w) > len(low) {
		return false
	}
	for i := range len(w) {
		low[i] = w[i]
		if upper(w[i]) {
			low[i] |= 0x20
		}
	}
	return m[string(low[:len(w)])]
}

func hasLower(w string) bool {
	for i := range len(w) {
		if w[i] >= 'a' && w[i] <= 'z' {
			return true
		}
	}
	return false
}

// marked reports whether w holds what words of prose do not.
func marked(w string) bool {
	for i := range len(w) {
		if !letter(w[i]) && w[i] < utf8.RuneSelf && w[i] != '-' && w[i] != '\'' {
			return true
		}
	}
	return false
}
