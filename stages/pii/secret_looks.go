package pii

import (
	"strings"
)

// looksLikeSecret reports whether a value behind a telling name is a key: random
// letters and digits, not a path, a name, a number or an expression.
func looksLikeSecret(v string) bool {
	n, ok := countKey(v)
	if !ok || isPlaceholderWord(v) || isMasked(v) || v[0] == '/' && !isSlashedBase64(v) || strings.HasPrefix(v, "./") ||
		strings.HasPrefix(v, "{{") ||
		looksLikePath(v) {
		return false
	}
	if n.digits == 0 {
		return n.letters >= 20 && n.turns >= 4 && computeEntropy(v) >= 4 ||
			n.letters >= 14 && n.turns >= 3 && n.marks <= 1 && computeEntropy(v) >= 3.3 && !looksLikeName(v)
	}
	if n.digits < 2 && len(v) < 20 && n.marks > 0 || n.letters == 0 && (len(v) < 16 || n.marks > 2 || isStraight([]byte(v))) {
		return false
	}
	if len(v) >= 48 && strings.Contains(strings.ToLower(v), "abcdefghijklm") {
		return false // an alphabet
	}
	return computeEntropy(v) >= 3 || computeEntropy(v) >= 2.5 && isHexNumber(v)
}

// isSlashedBase64 reports whether v, which begins with '/', is base64 rather than a path.
func isSlashedBase64(v string) bool { return len(v) >= 28 && isWildlyMixed(v) && !hasPathPiece(v) }

// isHexNumber reports whether v is a number of eight bytes or more in hexadecimal, or two of four with a ':' between them. Random ones
// have an entropy of 2.5 at least.
func isHexNumber(v string) bool {
	for i := range len(v) {
		if class[v[i]]&isHex == 0 && !(v[i] == ':' && i == 8 && len(v) == 17) {
			return false
		}
	}
	return len(v) >= 16
}

// isWildlyMixed reports whether a value behind a name that proves little is random enough alone: capitals, small letters and
// digits. Numbers in hexadecimal are also hashes and identifiers.
func isWildlyMixed(v string) bool {
	var small, capital, number bool
	for i := range len(v) {
		number = number || isDigitByte(v[i])
		capital = capital || isUpper(v[i])
		small = small || isLetterByte(v[i]) && !isUpper(v[i])
	}
	return len(v) >= 16 && small && capital && number && computeEntropy(v) >= 3.5
}

// hasPathPiece reports whether v is a path rather than base64: a piece between its slashes is a name, or has what base64 has not.
func hasPathPiece(v string) bool {
	if !strings.Contains(v, "/") {
		return false
	}
	for piece := range strings.SplitSeq(v, "/") {
		if strings.ContainsAny(piece, ".-_:%~|") || len(piece) > 3 && looksLikeName(piece) {
			return true
		}
	}
	return false
}

// keyPunctuation is what keys have beside letters and digits.
const keyPunctuation = "/.:%+=-_~|"

// keyCounts says what a value consists of; turns are capitals behind small letters.
type keyCounts struct{ digits, letters, marks, turns int }

// countKey counts the characters of a value. ok is false if it has one that no key has.
func countKey(v string) (n keyCounts, ok bool) {
	for i := range len(v) {
		switch c := v[i]; {
		case isDigitByte(c):
			n.digits++
		case isLetterByte(c):
			n.letters++
			if i > 0 && isUpper(c) && isLetterByte(v[i-1]) && !isUpper(v[i-1]) {
				n.turns++
			}
		case isOneOf(c, keyPunctuation):
			n.marks++
		default:
			return n, false
		}
	}
	return n, true
}

// isMasked reports whether a value is hidden in part, or a URL.
func isMasked(v string) bool {
	for _, part := range [...]string{"xxxx", "XXXX", "://", "****", "...."} {
		if strings.Contains(v, part) {
			return true
		}
	}
	return false
}

// looksLikePath reports whether v is words joined by marks, as in a file's or a
// variable's name: every piece is letters, or digits of few places.
func looksLikePath(v string) bool {
	pieces, plain, start := 0, 0, 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && isAlnum(v[i]) {
			continue
		}
		if i > start {
			pieces++
			p := v[start:i]
			d := 0
			for k := range len(p) {
				if isDigitByte(p[k]) {
					d++
				}
			}
			if d == 0 || d == len(p) && d <= 5 || len(p) <= 12 && d <= 4 && countTrailingDigits(p) == d && d < len(p) && len(p)-d >= 2 {
				plain++
			}
		}
		start = i + 1
	}
	return pieces == plain &&
		(pieces > 1 || pieces == 1 && len(v) < 16 && strings.ToLower(v) == v && countTrailingDigits(v) <= 4 && countTrailingDigits(v) > 0)
}

func countTrailingDigits(p string) int {
	n := 0
	for n < len(p) && isDigitByte(p[len(p)-1-n]) {
		n++
	}
	return n
}
