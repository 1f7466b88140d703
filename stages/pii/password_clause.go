package pii

import (
	"math/bits"
	"strings"
)

// followsPasswordClause reports whether the quote at i follows what gives a user of a database a password.
func followsPasswordClause(t string, i int) bool {
	for _, clause := range [...]string{"identified by ", "with password ", "set password ", "encrypted password "} {
		if j := i - len(clause); j >= 0 && hasFold(t, j, clause) && (j == 0 || !isWordByte(t[j-1])) {
			return true
		}
	}
	return false
}

// findClausePassword recognises the password in "IDENTIFIED BY 'x'" at its first quote.
func findClausePassword(s *scan, i int) (int, int, float32) {
	t, j := s.v.s, i+1
	for j < len(t) && j-i <= 128 && t[j] != t[i] && t[j] != '\n' {
		j++
	}
	s.noteLookAhead(i, j+1)
	if low := max(0, i-96); hasFold(t, i-min(i, 14), "identified by ") && !hasStatementWord(t[low:i]) {
		if v := t[i+1 : min(j, len(t))]; isPlainWord(v) || v != "" && isDigitless(v) && isIdentifierPath(v) {
			return 0, 0, 0 // prose: the function identified by "repeat"
		}
	}
	if j >= len(t) || t[j] != t[i] || j-i < 5 || standsForSecret(t[i+1:j]) {
		return 0, 0, 0
	}
	return i + 1, j, 0.8
}

// hasStatementWord reports whether a text has a word of the statements of SQL that name a user, or a clause in capitals.
func hasStatementWord(t string) bool {
	if strings.HasSuffix(t, "BY ") {
		return true
	}
	for i := range len(t) {
		for _, w := range [...]string{"create ", "alter ", "grant ", "user ", "role ", "login "} {
			if hasFold(t, i, w) {
				return true
			}
		}
	}
	return false
}

// spokenPassword is what findSpokenPassword looks for, with "pass" in any case of letters.
const spokenPassword = "password "

// spokenStride is how many bytes apart findSpokenPasswordFrom looks at three bytes of a text: wherever spokenPassword stands,
// it has one such group.
const spokenStride = len(spokenPassword) - 2

// spokenAt has, for the first, second and third byte of a group, the offsets in spokenPassword at which they can stand, as bits.
var spokenAt = func() (at [3][256]uint16) {
	for offset := range spokenStride {
		for k := range at {
			c := spokenPassword[offset+k]
			at[k][c] |= 1 << offset
			if offset+k < len("pass") {
				at[k][c&^0x20] |= 1 << offset
			}
		}
	}
	return at
}()

// findSpokenPasswordFrom returns where the first "word " of a spoken password stands from i on, or len(t). Prose is full of
// words, so that strings.Index would take as long as the scan.
func findSpokenPasswordFrom(t string, i int) int {
	const pass = len("pass")
	for i = max(0, i-pass) + spokenStride - 1; i+2 < len(t); i += spokenStride {
		offsets := spokenAt[0][t[i]] & spokenAt[1][t[i+1]] & spokenAt[2][t[i+2]]
		for offsets != 0 { // the highest is the first in the text
			offset := bits.Len16(offsets) - 1
			offsets &^= 1 << offset
			if at := i - offset; hasFold(t, at, "pass") && strings.HasPrefix(t[at+pass:], spokenPassword[pass:]) {
				return at + pass
			}
		}
	}
	return len(t)
}

// findSpokenPassword recognises the password in "the password is x", or of a file .netrc, at the "word " of writtenForms. A password
// in prose is not a plain word: "the password is wrong".
func findSpokenPassword(s *scan, at int) (int, int, float32) {
	t := s.v.s
	if at > 4 && isWordByte(t[at-5]) {
		return 0, 0, 0
	}
	from := at + len(writtenForms[formPassword])
	if followsLogin(s, at-len("pass")) {
		return findNetrcPassword(s, from)
	}
	const verb = "is "
	if len(t)-from < len(verb) {
		s.noteLookAhead(at, len(t)+1)
	}
	if !strings.HasPrefix(t[from:], verb) {
		return 0, 0, 0
	}
	from += len(verb)
	if from < len(t) && isOneOf(t[from], "\"'`") {
		from++
	}
	to := findValueEnd(t, from)
	s.noteLookAhead(at, to+2)
	for to = cutAtEscape(t, from, to, spokenMax); to > from && isOneOf(t[to-1], ".!?:*_"); {
		to--
	}
	v := t[from:to]
	if len(v) < 4 || len(v) > spokenMax || standsForSecret(v) || !strings.ContainsAny(v, "0123456789!@#$%^&*_+=?") {
		return 0, 0, 0
	}
	return from, to, 0.7
}
