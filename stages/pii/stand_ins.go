package pii

import "strings"

// asksForOwn reports whether v tells its reader to put a secret of theirs in its place: "YOUR_API_KEY_HERE", "<your-token>". A value with
// digits is a secret that somebody thought of.
func asksForOwn(v string) bool {
	return isDigitless(v) && holdsYour(v)
}

// numbersValue reports whether v is a name in capitals with a number, "value" and perhaps another number: "CLIENT1value1".
func numbersValue(v string) bool {
	name, number, ok := strings.Cut(v, "value")
	word := strings.TrimRight(name, digits09)
	return ok && word != "" && word != name && strings.Trim(word, lettersAZ) == "" && len(number) < 3 && strings.Trim(number, digits09) == ""
}

// describesItself reports whether v says how many characters of which kind a secret has: "40HexadecimalCharacters".
func describesItself(v string) bool {
	if numbersValue(v) {
		return true
	}
	words := strings.TrimLeft(v, digits09)
	if len(words) == len(v) || strings.Trim(words, lettersAZ+"abcdefghijklmnopqrstuvwxyz-_") != "" {
		return false
	}
	words = strings.ToLower(words)
	return strings.HasSuffix(words, "characters") || strings.HasSuffix(words, "chars") || strings.HasSuffix(words, "digits")
}

// holdsYour reports whether v has the word "your" before a '_' or a '-'.
func holdsYour(v string) bool {
	for i := 0; i+4 < len(v); i++ {
		if v[i]|0x20 == 'y' && isOneOf(v[i+4], "_-") && hasFold(v, i, "your") && (i == 0 || !isLetterByte(v[i-1]) ||
			isUpper(v[i]) != isUpper(v[i-1])) {
			return true
		}
	}
	return false
}

// isBracketedWord reports whether v begins with a word for what is left out, in brackets that are escaped for a URL, and no letter or
// digit follows: what a program writes in place of a secret, "%5Bredacted%5D".
func isBracketedWord(v string) bool {
	if len(v) < 7 || !hasFold(v, 0, "%5b") {
		return false
	}
	k := 3
	for k < len(v) && (isLetterByte(v[k]) || isOneOf(v[k], "_-")) {
		k++
	}
	if !hasFold(v, k, "%5d") || isAlnum(findByteAt(v, k+3)) {
		return false
	}
	word := strings.ToLower(v[3:k])
	return isPlaceholderWord(word) || containsAny(word, omissions)
}

// omissions are in the words that programs write in place of a secret.
var omissions = strings.Fields("redact mask hidden filter remov secret scrub saniti omit censor password token credential")

// isCutHash reports whether v begins as the hash of a password does in a file of users, "$6$", and has points for what is left out:
// "$6$Vt68...F0".
func isCutHash(v string) bool {
	if v[0] != '$' || !strings.Contains(v, "...") {
		return false
	}
	k := strings.IndexByte(v[1:], '$')
	return (k == 1 || k == 2) && isWordByte(v[1]) && isWordByte(v[k])
}

// isFilled reports whether one character makes up most of the letters and digits of v, in either case: "T00000000/XXXXXXXXXXXXXXXX".
func isFilled(v string) bool {
	var counts [256]int
	all, most := 0, 0
	for i := range len(v) {
		c := v[i]
		if isLetterByte(c) {
			c |= 0x20
		} else if !isDigitByte(c) {
			continue
		}
		all++
		counts[c]++
		most = max(most, counts[c])
	}
	return most*3 >= all*2
}

// standsForPath reports whether the path of a webhook is that of a manual: it has pieces that are filled with one character, tell the
// reader to put one of theirs there, or say that they are examples.
func standsForPath(path string) bool {
	if holdsYour(path) || strings.Contains(path, "EXAMPLE") || strings.Contains(path, "..") {
		return true
	}
	path = strings.TrimRight(path, "/.")
	if isWildlyMixed(path[strings.LastIndexByte(path, '/')+1:]) {
		return false // whatever names the team or the event before it
	}
	for piece := range strings.SplitSeq(path, "/") {
		if len(piece) > 5 && (isFilled(piece) || strings.Contains(piece, "_") && strings.Trim(piece, lettersAZ+"_") == "") {
			return true
		}
	}
	return false
}
