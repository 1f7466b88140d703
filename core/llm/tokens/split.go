package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says of a character what the vocabulary's pattern asks: bits, for a mark
// can stand among capitals, among small letters and in front of either.
type class uint8

const (
	capital class = 1 << iota // begins a word: Lu Lt Lm Lo M
	small                     // goes on with one: Ll Lm Lo M
	number                    // N
	space                     // white space, line ends among it
	lineEnd                   // \r \n
	other                     // neither letter nor number nor space; marks are both this and a part of words
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for r := range t {
		t[r] = classifyRune(rune(r))
	}
	return t
}()

func classifyRune(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | lineEnd
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return small
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r):
		return capital | small
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return capital
	case unicode.Is(unicode.M, r):
		return capital | small | other
	case unicode.Is(unicode.N, r):
		return number
	}
	return other
}

// classifyRuneAt returns the class of the character at i and where the next begins; 0 at the end.
func classifyRuneAt(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, i
	}
	if s[i] < utf8.RuneSelf {
		return ascii[s[i]], i + 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return classifyRune(r), i + n
}

// scanRun returns the end of the characters from i on that are of any class of c.
func scanRun(s string, i int, c class) int {
	for {
		k, next := classifyRuneAt(s, i)
		if k&c == 0 {
			return i
		}
		i = next
	}
}

// scanPiece returns the length of the first piece of s, which is not empty, as
// o200k_base's pattern cuts it:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// Written out it takes linear time and no backtracking.
func scanPiece(s string) int {
	first, second := classifyRuneAt(s, 0)
	if first&number != 0 {
		return scanDigits(s)
	}
	start := 0
	if first&lineEnd == 0 && first&(space|other) != 0 {
		start = second
	}
	end, lower := scanWord(s, start)
	if !lower && first&other != 0 && first&small != 0 { // rather a mark alone, which is small, than it and capitals
		start, end = 0, second
	}
	if end > start {
		return end + scanContraction(s[end:])
	}
	if s[0] == ' ' {
		if end := scanRun(s, 1, other); end > 1 {
			return scanLineEnds(s, end)
		}
	}
	if first&other != 0 {
		return scanLineEnds(s, scanRun(s, 0, other))
	}
	return skipBlanks(s)
}

// scanWord returns the end of a word that begins at i, capitals before small letters, or i;
// and whether it has a letter that may be a small one.
func scanWord(s string, i int) (end int, lower bool) {
	both := -1 // the end of the last letter that may stand in both parts
	for {
		k, next := classifyRuneAt(s, i)
		switch {
		case k&(capital|small) == capital|small:
			both = next
		case k&capital != 0:
		case k&small != 0:
			return scanRun(s, next, small), true
		case both >= 0: // the pattern prefers to end in a small letter
			return both, true
		default:
			return i, false
		}
		i = next
	}
}

// scanContraction returns the length of an English ending that s starts with, or 0.
func scanContraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(s) > 2 {
		switch strings.ToLower(s[1:3]) {
		case "re", "ve", "ll", "ſ": // the long s is a form of s
			return 3
		}
	}
	return 0
}

// scanDigits returns the end of up to three digits.
func scanDigits(s string) int {
	i := 0
	for range 3 {
		k, next := classifyRuneAt(s, i)
		if k&number == 0 {
			break
		}
		i = next
	}
	return i
}

// scanLineEnds returns the end of the line ends and slashes from i on.
func scanLineEnds(s string, i int) int {
	for i < len(s) && (s[i] == '\r' || s[i] == '\n' || s[i] == '/') {
		i++
	}
	return i
}

// skipBlanks is the end of white space: after its last line end, or else before its last
// character, which belongs to the word behind it.
func skipBlanks(s string) int {
	last, end, line := 0, 0, 0
	for {
		k, next := classifyRuneAt(s, end)
		if k&space == 0 {
			break
		}
		last, end = end, next
		if k&lineEnd != 0 {
			line = end
		}
	}
	switch {
	case line > 0:
		return line
	case end == len(s) || last == 0:
		return end
	}
	return last
}
