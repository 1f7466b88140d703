package pii

import (
	"slices"
	"strings"
)

// What follows "password =" or "key:" is a secret in a configuration, a log or a letter, and in a program most
// often an expression, a type or another name. These functions tell them apart.

// isQuoted reports whether the value at i begins behind a quote.
func isQuoted(t string, i int) bool {
	return i > 0 && (t[i-1] == '"' || t[i-1] == '\'' || t[i-1] == '`')
}

// looksLikeName reports whether v is a name in a program rather than random characters: its letters stand in words, and it
// has few digits.
func looksLikeName(v string) bool {
	letters, inWords, digits, numbers, pieces, long := 0, 0, 0, 0, 0, hasLongWord(v)
	for i := 0; i < len(v); {
		switch c := v[i]; {
		case isLetterByte(c):
			j := findPieceEnd(v, i)
			letters += j - i
			pieces++
			if j-i >= 3 && isPronounceable(v[i:j]) || j-i == 2 && long && isUpper(v[i]) && !isUpper(v[i+1]) && isPronounceable(v[i:j]) {
				inWords += j - i
			}
			i = j
		default:
			if isDigitByte(c) {
				if digits++; i == 0 || !isDigitByte(v[i-1]) {
					numbers++
				}
			}
			i++
		}
	}
	fewNumbers := numbers == 0 || numbers == 1 && (pieces > 2 || pieces == 2 && isDigitByte(v[len(v)-1]))
	most := 7
	if digits == 0 && long && letters >= 4*pieces {
		most = 6 // with abbreviations: "primaryPrevBtnBg"
	}
	return letters > 0 && inWords*10 >= letters*most && digits*4 <= letters && fewNumbers || isCompoundName(v)
}

// hasLongWord reports whether a piece of v may be a word of six letters or more.
func hasLongWord(v string) bool {
	for i := 0; i < len(v); {
		if !isLetterByte(v[i]) {
			i++
			continue
		}
		j := findPieceEnd(v, i)
		if j-i >= 6 && isPronounceable(v[i:j]) {
			return true
		}
		i = j
	}
	return false
}

// isCompoundName reports whether v is several words of a program, some of which have numbers: "ec2_metadata_v1_disabled",
// "test1024Key". Powers of two count as letters.
func isCompoundName(v string) bool {
	if len(v) > 48 {
		return false
	}
	letters, long, digits, pieces := 0, 0, 0, 0
	for i := 0; i < len(v); {
		j := i + 1
		switch c := v[i]; {
		case isLetterByte(c):
			j = findPieceEnd(v, i)
			letters += j - i
			pieces++
			if j-i >= 4 && isPronounceable(v[i:j]) || j-i == 3 && (isUpper(v[i]) || v[i] == 'k') && isOneOf(v[i+1], "aeiouy") {
				long += j - i
			}
		case isDigitByte(c):
			for j < len(v) && isDigitByte(v[j]) {
				j++
			}
			switch v[i:j] {
			case "128", "192", "256", "384", "512", "768", "1024", "2048", "3072", "4096", "509", "25519":
			default:
				if digits += j - i; j-i > 2 {
					return false
				}
			}
		case c != '_' && c != '-' && c != '.':
			return false
		}
		i = j
	}
	return pieces >= 2 && long*4 >= letters*3 && digits*5 <= letters && hasCodeWord(v)
}

// hasCodeWord reports whether v has a word that programs use for names. Without one, words and numbers may be a password that
// somebody thought of: "Winter7Sunshine3Mountain".
func hasCodeWord(v string) bool {
	for i := range len(v) {
		switch v[i] | 0x20 {
		case 'a', 'k', 't', 's', 'c', 'd', 'e':
			for _, w := range [...]string{"key", "token", "test", "secret", "credential", "cert", "config", "disabled", "enabled", "auth"} {
				if hasFold(v, i, w) {
					return true
				}
			}
		}
	}
	return false
}

// findPieceEnd returns where the word of a name ends that begins at i: small letters with a capital before them, or capitals.
func findPieceEnd(v string, i int) int {
	j := i + 1
	if isUpper(v[i]) && j < len(v) && isUpper(v[j]) {
		for j < len(v) && isUpper(v[j]) {
			j++
		}
		if j < len(v) && isLetterByte(v[j]) {
			j-- // the capital of the next word
		}
		return j
	}
	for j < len(v) && isLetterByte(v[j]) && !isUpper(v[j]) {
		j++
	}
	return j
}

// isPronounceable reports whether letters may be a word: a vowel, and no long row of consonants. Short rows of capitals are
// abbreviations.
func isPronounceable(w string) bool {
	if w == "" {
		return false
	}
	if isUpper(w[len(w)-1]) && len(w) <= 5 {
		return true
	}
	vowels, row := 0, 0
	for i := range len(w) {
		if isOneOf(w[i]|0x20, "aeiouy") {
			vowels++
			row = 0
		} else if row++; row > 4 {
			return false
		}
	}
	return vowels > 0
}

// isIdentifierPath reports whether v is a name in a program, or several with '.', "->" or "::" between them.
func isIdentifierPath(v string) bool {
	v = strings.NewReplacer("->", ".", "::", ".", "?.", ".").Replace(v)
	for piece := range strings.SplitSeq(v, ".") {
		if piece == "" || isDigitByte(piece[0]) {
			return false
		}
		for i := range len(piece) {
			if !isWordByte(piece[i]) && piece[i] != '$' {
				return false
			}
		}
	}
	return true
}

// closesCode reports whether c follows an expression in a program.
func closesCode(c byte) bool { return isOneOf(c, ",;)}]") }

// isRepetition reports whether v is a rule of a grammar (RFC 5234) with how often it repeats: "1*SAFE".
func isRepetition(v string) bool {
	count, rule, ok := strings.Cut(v, "*")
	return ok && len(count) < 3 && strings.Trim(count, digits09) == "" && len(rule) > 1 && strings.Trim(rule, lettersAZ+"-") == ""
}

// isRate reports whether v is how often something may happen: "10/minute", "5/m/user".
func isRate(v string) bool {
	number, rest, ok := strings.Cut(v, "/")
	if !ok || number == "" || strings.Trim(number, digits09) != "" {
		return false
	}
	unit, whose, _ := strings.Cut(rest, "/")
	return (unit == "s" || slices.Contains(rateUnits, strings.TrimSuffix(unit, "s"))) && (whose == "" || isPlainWord(whose))
}

// rateUnits are the spans of time of rates, but for "s", without the s of the plural.
var rateUnits = strings.Fields("sec second m min minute h hr hour d day week month year")

// isVersion reports whether v is three numbers with points, as versions of packages are.
func isVersion(v string) bool {
	points := 0
	for i := range len(v) {
		if v[i] == '.' {
			points++
		} else if !isDigitByte(v[i]) {
			return false
		}
	}
	return points == 2 && len(v) <= 11
}

// namesExample reports whether v ends in "example", or has it before what it is an example of: "idpexamplesecret456".
func namesExample(v string) bool {
	_, rest, ok := strings.Cut(v, "example")
	if !ok || rest == "" {
		return ok
	}
	for _, w := range [...]string{"secret", "value", "key", "token", "client"} {
		if strings.Contains(rest, w) {
			return true
		}
	}
	return false
}

// hasOnlyVerbs reports whether v has nothing but verbs of a format, such as "%s:%s".
func hasOnlyVerbs(v string) bool {
	if !strings.Contains(v, "%") {
		return false
	}
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '%' && i+1 < len(v):
			for i++; i < len(v)-1 && isOneOf(v[i], "+-#0123456789.*("); {
				i++
			}
		case isAlnum(v[i]):
			return false
		}
	}
	return true
}

// isSequential reports whether most characters of v, or of its bytes in hexadecimal, follow their neighbour.
func isSequential(v string) bool {
	if len(v) < 8 {
		return false
	}
	one, two := 0, 0
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1]+1 || v[i-1] == '9' && (v[i] == '0' || v[i]|0x20 == 'a') {
			one++
		}
		if i >= 3 && i%2 == 1 && (v[i] == v[i-2]+1 && v[i-1] == v[i-3] || v[i] == v[i-2] && v[i-1] == v[i-3]) {
			two++
		}
	}
	return one*10 >= (len(v)-1)*8 || two*20 >= (len(v)-2)*7
}
