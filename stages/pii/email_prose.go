package pii

import "unicode/utf8"

// findPlainAt recognises "anna at example.org" at the first '.' of the domain, behind a telling word or for a large mailbox
// provider.
func findPlainAt(s *scan, dot int) (int, int, float32) {
	t := s.v.s
	a := dot
	for alnum(t[a-1]) || t[a-1] == '-' {
		a--
	}
	from := s.findLocalStart(a - 4)
	if from == a-4 || prosaic(t[from:a-4]) {
		return 0, 0, 0
	}
	end, _ := s.findWrittenDomain(from, a, true, proseDots)
	if end <= dot || remote(s, from, a-4, end) || end < len(t) && (t[end] == '/' || t[end] == '(') {
		return 0, 0, 0
	}
	if inSet(providers, t[a:dot]) || s.phrase(from, "mail", "e-mail", "email", "contact", "reach", "correo", "courriel") {
		return from, end, 0.7
	}
	return 0, 0, 0
}

// atBefore reports whether " at " precedes the label that ends at dot.
func atBefore(t string, dot int) bool {
	a := dot
	for a > 0 && dot-a < 40 && (alnum(t[a-1]) || t[a-1] == '-') {
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

// prosaic reports whether w is a word of prose rather than part of an address.
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

// marked reports whether w contains characters that words of prose lack.
func marked(w string) bool {
	for i := range len(w) {
		if !letter(w[i]) && w[i] < utf8.RuneSelf && w[i] != '-' && w[i] != '\'' {
			return true
		}
	}
	return false
}
