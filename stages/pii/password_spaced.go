package pii

import "strings"

const (
	// spacedMax bounds a password of several words in quotes, and spacedWords the number of its words: more are a sentence.
	spacedMax   = 96
	spacedWords = 6
	// typedMin is the length of the shortest word that is a password whatever stands around it.
	typedMin = 8
)

// findSpacedPassword returns where the quoted text that begins at from, behind the name of a password and the separator at
// i, ends if it is several words and one of them can only be a password: "My key (R7!kQ2#zz)". Otherwise it returns 0.
func findSpacedPassword(s *scan, i, from int) int {
	t, end := s.v.s, from
	for end < len(t) && end-from < spacedMax && t[end] != t[from-1] && t[end] != '\n' && t[end] != gap {
		end++
	}
	s.noteLookAhead(i, end+1)
	if end == len(t) || t[end] != t[from-1] || strings.ContainsAny(t[from:end], "<>{}\\=") {
		return 0
	}
	words, typed := 0, false
	for w := range strings.FieldsSeq(t[from:end]) {
		words++
		typed = typed || isTypedSecret(strings.TrimRight(strings.TrimLeft(w, "([\"'`"), ")]\"'`.,:;?!"))
	}
	if words < 2 || words > spacedWords || !typed {
		return 0
	}
	return end
}

// isTypedSecret reports whether a word has capitals, small letters, digits and, before its end, a mark that neither words nor names of
// programs have, and is no address, expression or range of characters.
func isTypedSecret(w string) bool {
	if len(w) < typedMin || strings.ToUpper(w) == w || strings.ToLower(w) == w || isDigitless(w) || standsForSecret(w) {
		return false
	}
	if mark := strings.IndexAny(w, "!@#$^&*+?~%"); mark <= 0 || mark == len(w)-1 || isOneOf(w[mark], "@") && strings.Contains(w[mark:], ".") {
		return false
	}
	if namesVersion(w) {
		return false
	}
	return !strings.ContainsAny(w, "/()[]|") && !strings.Contains(w, "-Z") && !strings.Contains(w, "-z") && !strings.Contains(w, "-9")
}

// namesVersion reports whether a word has the name of a language before a number, "C++17Std", or a name and the number of an issue,
// "Foo#1234Bar", and no other mark.
func namesVersion(w string) bool {
	if rest, ok := strings.CutPrefix(w, "C++"); ok && !strings.ContainsAny(rest, "!@#$^&*+?~%") {
		return true
	}
	name, number, ok := strings.Cut(w, "#")
	if !ok || !isWordOfLetters(name) || strings.ContainsAny(number, "!@#$^&*+?~%") {
		return false
	}
	rest := strings.TrimLeft(number, digits09)
	return len(rest) < len(number) && isDigitless(rest)
}
