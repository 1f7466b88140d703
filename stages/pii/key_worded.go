package pii

// keyWords precede the body of keys of many vendors, behind the vendor's name or first: "acme_live_", "sk_".
var keyWords = [...]string{"live", "prod", "production", "pat", "sk", "secret", "token", "apikey", "key", "api", "oat"}

const (
	// wordedHead bounds what precedes the body of a key that a word announces.
	wordedHead = 32
	// wordedMin and wordedMax bound its body, and wordedPiece the longest piece of it without '_' and '-'.
	wordedMin, wordedMax, wordedPiece = 20, 160, 20
)

// followsKeyWord reports whether one of keyWords ends at i, as a whole word.
func followsKeyWord(t string, i int) bool {
	for _, w := range keyWords {
		if j := i - len(w); j >= 0 && hasFold(t, j, w) && (j == 0 || !isAlnum(t[j-1])) {
			return true
		}
	}
	return false
}

// findWordedKey recognises the key of a vendor that has no rule, by the word before its body at i: "acme_live_" and a body that is
// random even without the word, as most vendors have issued them since secret scanners look for such prefixes.
func findWordedKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	j := s.findClassEnd(dashes, i+1, wordedMax)
	if j-i-1 < wordedMin && len(t)-j > 1 {
		return 0, 0, 0 // it ends here, whatever follows
	}
	from := s.findRunStart(i, dashes, wordedHead+1)
	s.noteLookAhead(from, j+2)
	if n := j - i - 1; n < wordedMin || n > wordedMax || i-from > wordedHead || !isLetterByte(t[from]) || from > 0 &&
		isOneOf(t[from-1], "./") ||
		from > len("sha256=") && hasFold(t, from-len("sha256="), "sha256=") { // in the RECORD of a package of Python

		return 0, 0, 0
	}
	for j > i && isOneOf(t[j-1], "-_") {
		j--
	}
	if body := t[i+1 : j]; !hasLongPiece(body) || !isWildlyMixed(body) || computeEntropy(body) < 3.9 || looksLikeName(body) ||
		isUnreal(t, j, body) {
		return 0, 0, 0
	}
	return from, j, 0.8
}

// hasLongPiece reports whether a piece of v between its '-' and '_' is random: at least wordedPiece letters and digits, of
// which at least three are digits.
func hasLongPiece(v string) bool {
	for i := 0; i < len(v); {
		j, digits := i, 0
		for j < len(v) && isAlnum(v[j]) {
			if isDigitByte(v[j]) {
				digits++
			}
			j++
		}
		if j-i >= wordedPiece && digits >= 3 && isWildlyMixed(v[i:j]) {
			return true
		}
		i = j + 1
	}
	return false
}
