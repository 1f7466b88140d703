package pii

import "strings"

// behindPasswordClause reports whether the quote at i stands behind what gives a user of a database a password.
func behindPasswordClause(t string, i int) bool {
	for _, clause := range [...]string{"identified by ", "with password ", "set password ", "encrypted password "} {
		if j := i - len(clause); j >= 0 && hasFold(t, j, clause) && (j == 0 || !word(t[j-1])) {
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
	if j >= len(t) || t[j] != t[i] || j-i < 5 || standsForSecret(t[i+1:j]) {
		return 0, 0, 0
	}
	return i + 1, j, 0.8
}

// findSpokenPassword recognises the password in "the password is x" at the "word is " of writtenForms. A password in prose
// is no plain word: "the password is wrong".
func findSpokenPassword(s *scan, at int) (int, int, float32) {
	t := s.v.s
	if at < 4 || !hasFold(t, at-4, "pass") || at > 4 && word(t[at-5]) {
		return 0, 0, 0
	}
	from := at + len(writtenForms[formPassword])
	if from < len(t) && within(t[from], "\"'`") {
		from++
	}
	to := valueEnd(t, from)
	s.noteLookAhead(from, to+2)
	for to > from && within(t[to-1], ".!?:") {
		to--
	}
	v := t[from:to]
	if len(v) < 4 || len(v) > 64 || standsForSecret(v) || !strings.ContainsAny(v, "0123456789!@#$%^&*_+=?") {
		return 0, 0, 0
	}
	return from, to, 0.7
}
