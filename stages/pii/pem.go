package pii

import (
	"slices"
	"strings"
)

// pemMax bounds a private key.
const pemMax = 16 << 10

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
)

// findPrivateKey recognises a private key in PEM (RFC 7468) or OpenPGP
// (RFC 9580), from its first line to its last, or, when that is missing,
// as far as it goes. It may be in a string of JSON, with "\n" for line ends.
func findPrivateKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i < 4 || t[i] != '-' || t[i-4:i] != "----" || i > 4 && t[i-5] == '-' {
		return 0, 0, 0
	}
	start := i - 4
	rest := t[start:]
	if len(rest) < len(pemBegin) {
		if strings.HasPrefix(pemBegin, rest) {
			s.noteLookAhead(start, len(t)+1)
		}
		return 0, 0, 0
	}
	if !strings.HasPrefix(rest, pemBegin) {
		return 0, 0, 0
	}
	j := start + len(pemBegin)
	for j < len(t) && j-start < 64 && (isUpper(t[j]) || isDigitByte(t[j]) || t[j] == ' ' || t[j] == '-' && !strings.HasPrefix(t[j:], "--")) {
		j++
	}
	label := t[start+len(pemBegin) : j]
	if j+5 > len(t) && strings.Trim(t[j:], "-") == "" {
		s.noteLookAhead(start, len(t)+1)
	}
	if !strings.HasPrefix(t[j:], "-----") || !strings.HasSuffix(label, "PRIVATE KEY") && !strings.HasSuffix(label, "PRIVATE KEY BLOCK") {
		return 0, 0, 0
	}
	end := s.findPEMBody(start, j+5)
	if end == 0 {
		return 0, 0, 0
	}
	return start, end, 1
}

// pemText are the bytes that may be in the text of a key beside those of base64: line
// ends, headers, and the same in a string of JSON.
const pemText = "\n\r \t\\:,-.()"

// pemCoded is how many bytes in base64 a key without its last line must have.
const pemCoded = 16

// findPEMBody returns the end of the key whose first line ends at j, or 0.
func (s *scan) findPEMBody(start, j int) int {
	t := s.v.s
	if strings.HasPrefix(strings.TrimLeft(t[j:min(len(t), j+12)], "\r\n"), "xxxxxx") {
		return 0 // a placeholder for a key
	}
	if isDescribedKey(s, start, j) {
		return 0
	}
	last := j // behind the last character of the key's text
	coded := 0
	for k := j; ; k++ {
		if k >= len(t) {
			s.noteLookAhead(start, k+1)
			break
		}
		if k-start >= pemMax {
			break
		}
		c := t[k]
		if c == '-' && strings.HasPrefix(t[k:], pemEnd[:5]) {
			end := s.findPEMLast(start, k)
			if end > 0 && coded > 0 && coded < pemCoded && (repeatsLetters(t[j:last]) || isWordsOnly(t[j:last])) {
				return 0
			}
			if end > 0 {
				return end
			}
			break
		}
		if isAlnum(c) || isOneOf(c, "+/=") {
			coded++
			last = k + 1
		} else if !isOneOf(c, pemText) {
			break
		}
		if c == '\n' && k+1 < len(t) && t[k+1] == '\n' && coded >= 64 && !strings.Contains(t[k-min(k-j, 80):k], ":") {
			return last // a blank line ends a key that was cut off
		}
	}
	if coded < pemCoded {
		return 0
	}
	return last
}

// describedMax is the length of the longest text that isDescribedKey reads.
const describedMax = 80

// isDescribedKey reports whether what a manual says of a key stands in its place, up to its last line: "... (private key in base64) ...".
func isDescribedKey(s *scan, start, j int) bool {
	t := s.v.s
	if !strings.HasPrefix(strings.TrimLeft(t[j:min(len(t), j+24)], "\\nr\n\r \t"), "...") {
		return false
	}
	s.noteLookAhead(start, j+describedMax)
	body, _, ok := strings.Cut(t[j:min(len(t), j+describedMax)], pemEnd)
	_, words, open := strings.Cut(body, "(")
	words, rest, closed := strings.Cut(words, ")")
	return ok && open && closed && strings.Trim(rest, ".\\nr\n\r \t") == "" && isWordsInOrder(words)
}

// isWordsInOrder reports whether a text has several words, none as long as the line of a key.
func isWordsInOrder(text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return len(w) > 16 })
}

// repeatsLetters reports whether the text of a key repeats two letters, as a placeholder does: "NONONONO".
func repeatsLetters(body string) bool {
	body = strings.Trim(body, "\\nr\r\n ")
	return len(body) > 3 && strings.Count(body, body[:2])*2 == len(body)
}

// isWordsOnly reports whether the text of a key is words in small letters, as in tests: "fake", "not a key".
func isWordsOnly(body string) bool {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\\n", ""), "\\r", "")
	return strings.Trim(body, "abcdefghijklmnopqrstuvwxyz-. \r\n\t") == "" && isPronounceable(strings.Trim(body, "-. \r\n\t"))
}

// findPEMLast returns the end of the last line of a key, whose first dashes are at k, or 0.
func (s *scan) findPEMLast(start, k int) int {
	t := s.v.s
	for e := k + 5; e < k+80; e++ {
		if e+5 > len(t) {
			s.noteLookAhead(start, len(t)+1)
			return 0
		}
		if t[e:e+5] == "-----" {
			return e + 5
		}
		if t[e] == '\n' {
			return 0
		}
	}
	return 0
}
