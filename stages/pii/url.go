package pii

import "strings"

const typeURL = "URL"

// urlMax is the maximum length of a URL.
const urlMax = 2000

// findURL recognises URLs with a scheme of the web at the ':'.
func findURL(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := findSchemeStart(t, i)
	if a == i || a > 0 && isWordByte(t[a-1]) {
		return 0, 0, 0
	}
	if i+3 > len(t) {
		if strings.HasPrefix("://", t[i:]) {
			s.noteLookAhead(a, len(t)+1)
		}
		return 0, 0, 0
	}
	if t[i+1] != '/' || t[i+2] != '/' {
		return 0, 0, 0
	}
	switch lowerShort(t[a:i]) {
	case "http", "https", "ftp", "ftps", "sftp", "ws", "wss", "file":
	default:
		return 0, 0, 0
	}
	if i < s.urlTo { // in another one
		return 0, 0, 0
	}
	end := s.findURLEnd(a, i+3)
	s.urlTo = end
	if end-i < 6 {
		return 0, 0, 0
	}
	return a, end, 0.9
}

// findURLEnd returns the end of a URL, without the punctuation of the sentence.
func (s *scan) findURLEnd(from, i int) int {
	t, j := s.v.s, i
	for j < len(t) && j-from < urlMax && t[j] > ' ' && !isOneOf(t[j], "\"'<>`{}|\\^") {
		j++
	}
	s.noteLookAhead(from, j+1)
	paren := strings.IndexByte(t[i:j], '(') >= 0
	for j > i && isOneOf(t[j-1], ".,;:!?)]") && !(paren && t[j-1] == ')') {
		j--
	}
	return j
}

// topLevels are the accepted top-level domains of hosts without a scheme.
var topLevels = buildSet(
	"com",
	"org",
	"net",
	"edu",
	"gov",
	"io",
	"co",
	"de",
	"uk",
	"fr",
	"es",
	"it",
	"nl",
	"eu",
	"us",
	"ca",
	"au",
	"in",
	"jp",
	"cn",
	"br",
	"ch",
	"at",
	"be",
	"se",
	"no",
	"fi",
	"dk",
	"pl",
	"ru",
	"info",
	"biz",
	"dev",
	"app",
	"ai",
	"me",
	"tv",
	"il",
	"mx",
	"nz",
	"ie",
	"pt",
	"gr",
	"cz",
	"kr",
	"za",
)

// findBareHost recognises a host at its first '.'.
func findBareHost(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if t[i] != '.' || i == 0 || !isAlnum(t[i-1]) {
		return 0, 0, 0
	}
	a := s.findRunStart(i, dashes, 63)
	if a == i || a > 0 && (isOneOf(t[a-1], "@/.:=#%\\$") || isWordByte(t[a-1]) || t[a-1] >= 0x80) {
		return 0, 0, 0
	}
	last, j, labels := countLabelsFrom(t, a, i)
	s.noteLookAhead(a, j+2)
	www := hasFold(t, a, "www.")
	if labels == 0 || !topLevels[lowerShort(t[last+1:j])] || t[j-1] == '-' || www && labels < 2 ||
		j < len(t) && (t[j] == '@' || t[j] == '_' || t[j] == '(') {
		return 0, 0, 0
	}
	end := j
	if j < len(t) && (t[j] == '/' || t[j] == '?' || t[j] == ':' && j+1 < len(t) && isDigitByte(t[j+1])) {
		end = s.findURLEnd(a, j)
	}
	return a, end, chooseScore(www, 0.9, 0.6)
}

// countLabelsFrom reads the labels of a host from its first '.' at i; the host starts at a. It returns the last '.', the end,
// and the number of labels behind the first.
func countLabelsFrom(t string, a, i int) (last, end, labels int) {
	last, end = i, i
	for end < len(t) && t[end] == '.' && end-a < 200 {
		k := end + 1
		for k < len(t) && k-end < 64 && (isAlnum(t[k]) || t[k] == '-') {
			k++
		}
		if k == end+1 {
			break
		}
		last, end = end, k
		labels++
	}
	return last, end, labels
}
