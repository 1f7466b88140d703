package pii

import (
	"strings"
	"unicode/utf8"
)

// mayBracketAt reports whether the text behind the bracket at i can start one of atWords.
func mayBracketAt(t string, i int) bool {
	if i+2 >= len(t) {
		return true
	}
	c := t[i+1]
	if c == ' ' {
		c = t[i+2]
	}
	return c|0x20 == 'a' || c == 0xC3
}

// atWords replace an '@' in brackets; a single letter is weaker evidence.
var atWords = buildSet("at", "ät", "arroba", "arobase", "a")

// atWordMax bounds the text in the brackets.
const atWordMax = 9

// findBracketedAt recognises an address around the "(at)" or "[ at ]" at i.
func findBracketedAt(s *scan, i int) (int, int, float32) {
	t, j := s.v.s, i+1
	for j < len(t) && j-i <= atWordMax && (isLetterByte(t[j]) || t[j] == ' ' || t[j] >= utf8.RuneSelf) {
		j++
	}
	if j >= len(t) || findClosing(t[i]) != t[j] {
		return 0, 0, 0
	}
	w := strings.Trim(t[i+1:j], " ")
	if !isInSet(atWords, w) {
		return 0, 0, 0
	}
	return findWrittenAt(s, i, j+1, len(w) == 1)
}

// findClosing returns the bracket that closes c.
func findClosing(c byte) byte {
	if c == '(' {
		return ')'
	}
	return c + 2
}

// findUpperAt recognises an address around the "AT " at i.
func findUpperAt(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i == 0 || t[i-1] != ' ' {
		return 0, 0, 0
	}
	j := i + 3
	for j < len(t) && (isAlnum(t[j]) || t[j] == '-') {
		j++
	}
	if len(t)-j > 1 && t[j] != '.' && t[j] < utf8.RuneSelf && !opensBracket(t[j]) &&
		!(t[j] == ' ' && (t[j+1]|0x20 == 'd' || opensBracket(t[j+1]))) {
		return 0, 0, 0 // most of prose in capitals
	}
	return findWrittenAt(s, i, i+2, true)
}

// findJoinedAt recognises an address around the "_at_" or "-at-" at i.
func findJoinedAt(s *scan, i int) (int, int, float32) {
	t, at, dom := s.v.s, i, i+3
	for at > 0 && t[at-1] == '_' && i-at < 2 {
		at--
	}
	for dom < len(t) && t[dom] == t[i] && dom-i < 6 {
		dom++
	}
	from, end, score := findWrittenAt(s, at, dom, true)
	if score > 0 && (from > 0 && t[from-1] == '/' || namesFileOnly(t[dom:end]) || endsInClass(t[dom:end])) {
		return 0, 0, 0 // the name of a file, or of a class in a module
	}
	if score > 0 && findByteAt(t, end) == '_' && !isInSet(topLevels, t[strings.LastIndexByte(t[:end], '.')+1:end]) {
		s.noteLookAhead(from, end+2)
		if isLetterByte(findByteAt(t, end+1)) {
			return 0, 0, 0 // a name in a program goes on: "mock_register_at_fork.call_args"
		}
	}
	return from, end, score
}

// isJoined reports whether "_at_" or "-at-" is at i.
func isJoined(t string, i int) bool {
	return len(t)-i >= 4 && t[i+1]|0x20 == 'a' && t[i+2]|0x20 == 't' && t[i+3] == t[i]
}

// findWrittenAt recognises an address whose '@' is written out as t[at:dom]. A loose
// form also occurs in prose and code: the address must look like one.
func findWrittenAt(s *scan, at, dom int, loose bool) (int, int, float32) {
	t := s.v.s
	spaced := at > 0 && t[at-1] == ' '
	if spaced {
		at--
	}
	from := s.findLocalStart(at)
	if from == at {
		return 0, 0, 0
	}
	s.noteLookAhead(from, dom+2)
	if dom < len(t) && t[dom] == ' ' {
		dom++
	}
	end, written := s.findWrittenDomain(from, dom, loose && !hasMarks(t[from:at]), proseDots)
	switch {
	case end == dom:
		return 0, 0, 0
	case !loose:
		return from, end, 0.9
	case isProsaic(t[from:at]) || spaced && !written && !hasLower(t[from:at]):
		return 0, 0, 0
	}
	return from, end, 0.7
}

// opensBracket reports whether c is a bracket in which an '@' may be written out.
func opensBracket(c byte) bool { return c == '(' || c == '[' || c == '{' || c == '<' }
