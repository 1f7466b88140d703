package pii

import "unicode/utf8"

// findPlainAt recognises "anna at example.org" at the first '.' of the domain, behind a telling word or for a large mailbox
// provider.
func findPlainAt(s *scan, dot int) (int, int, float32) {
	t := s.v.s
	a := dot
	for isAlnum(t[a-1]) || t[a-1] == '-' {
		a--
	}
	from := s.findLocalStart(a - 4)
	if from == a-4 || isProsaic(t[from:a-4]) {
		return 0, 0, 0
	}
	end, _ := s.findWrittenDomain(from, a, true, proseDots)
	if end <= dot || isRemotePath(s, from, a-4, end) || end < len(t) && (t[end] == '/' || t[end] == '(') {
		return 0, 0, 0
	}
	if isInSet(providers, t[a:dot]) || s.followsPhrase(from, "mail", "e-mail", "email", "contact", "reach", "correo", "courriel") {
		return from, end, 0.7
	}
	return 0, 0, 0
}

// followsAtWord reports whether " at " precedes the label that ends at dot.
func followsAtWord(t string, dot int) bool {
	a := dot
	for a > 0 && dot-a < 40 && (isAlnum(t[a-1]) || t[a-1] == '-') {
		a--
	}
	return a < dot && a >= 5 && t[a-4:a] == " at "
}

// providers are domains of public mailbox providers.
var providers = buildSet(
	"gmail",
	"googlemail",
	"yahoo",
	"hotmail",
	"outlook",
	"icloud",
	"live",
	"aol",
	"gmx",
	"protonmail",
	"proton",
	"yandex",
	"zoho",
	"fastmail",
	"qq",
	"163",
)

// prosaicWords precede "at" in prose, or between it and a dot.
var prosaicWords = buildSet(
	"look",
	"looks",
	"looking",
	"looked",
	"find",
	"found",
	"us",
	"me",
	"you",
	"them",
	"him",
	"her",
	"it",
	"see",
	"visit",
	"is",
	"are",
	"was",
	"were",
	"be",
	"sign",
	"login",
	"hosted",
	"available",
	"site",
	"located",
	"meet",
	"point",
	"arrive",
	"here",
	"there",
	"stay",
	"work",
	"works",
	"live",
	"lives",
	"page",
	"website",
	"blog",
	"more",
	"online",
	"out",
	"up",
	"in",
	"information",
	"details",
	"info.",
	"the",
	"a",
	"this",
	"that",
	"any",
	"each",
	"no",
	"not",
	"one",
	"every",
	"and",
	"or",
)

// isProsaic reports whether w is a word of prose rather than part of an address.
func isProsaic(w string) bool { return isInSet(prosaicWords, w) }

// isInSet looks a word up whatever its case, without allocating.
func isInSet(m map[string]bool, w string) bool {
	var low [14]byte
	if len(w) > len(low) {
		return false
	}
	for i := range len(w) {
		low[i] = w[i]
		if isUpper(w[i]) {
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

// hasMarks reports whether w contains characters that words of prose lack.
func hasMarks(w string) bool {
	for i := range len(w) {
		if !isLetterByte(w[i]) && w[i] < utf8.RuneSelf && w[i] != '-' && w[i] != '\'' {
			return true
		}
	}
	return false
}
