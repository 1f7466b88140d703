package pii

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wordSizes are powers of two of seven digits and more, and the numbers before them, as programs have them for bits and bounds.
var wordSizes = func() map[string]bool {
	sizes := map[string]bool{}
	for bits := 20; bits <= 33; bits++ {
		sizes[strconv.Itoa(1<<bits)], sizes[strconv.Itoa(1<<bits-1)] = true, true
	}
	return sizes
}()

// isWordSize reports whether the number at i is a power of two, or the number before one, among the operators of a program:
// "min.call(g,2147483648", "e.flags&67108864". Behind a name that means a phone it is one.
func isWordSize(s *scan, i int) bool {
	t, n := s.v.s, &s.num
	if n.n > 1 || !isInSet(wordSizes, t[n.start[0]:n.end[0]]) {
		return false
	}
	switch findByteBefore(t, i) {
	case '(', '[':
		if findByteBefore(t, i-1) == ' ' {
			return !s.isSpokenFor(i, s.e.phone) // no call and no subscript: "call me: (4194304)"
		}
		return !followsPhoneWord(s, i-1)
	case ',', '&', '|', '<', '>', '?', '*', '!':
		return !followsPhoneWord(s, i-1)
	case '=', ':':
		s.noteLookAhead(i, n.end[0]+1)
		from, end := findNameOfNumber(s, i)
		return isOneOf(findByteAt(t, n.end[0]), ",;)&|<>?]}:") && !endsAsPhone(t[from:end])
	}
	return false
}

// followsPhoneWord reports whether a word for a phone precedes the sign at i, with points and spaces between them or not: "tel|4194304|",
// "tel. &4194304". A function before a parenthesis may be called so too.
func followsPhoneWord(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	end := i
	for end > low && i-end < 4 && isOneOf(t[end-1], " .:=\"") {
		end--
	}
	from := end
	for from > low && (isWordByte(t[from-1]) || t[from-1] >= utf8.RuneSelf) {
		from--
	}
	return endsAsPhone(t[from:end]) && (end < i || t[i] != '(' || !isInSet(calledWords, t[from:end]))
}

// calledWords mean a phone, and name functions of programs.
var calledWords = buildSet("call", "dial", "cell")

// endsAsPhone reports whether the last words of a name are one for a phone, before one that says that its number follows or not:
// "work_phone", "phoneNumber".
func endsAsPhone(name string) bool {
	if slices.Contains(phoneWords, strings.ToLower(name)) {
		return true
	}
	k := findLastWord(name)
	if k > 0 && isInSet(numberNames, name[k:]) {
		name = strings.TrimRight(name[:k], "_")
		k = findLastWord(name)
	}
	return slices.Contains(phoneWords, strings.ToLower(name[k:]))
}

// holdsPhoneWord reports whether one of the words of a name is one for a phone.
func holdsPhoneWord(name string) bool {
	for name != "" {
		k := findLastWord(name)
		if slices.Contains(phoneWords, strings.ToLower(name[k:])) {
			return true
		}
		name = strings.TrimRight(name[:k], "_")
	}
	return false
}

// pictureReach is how far before a number the path of a picture is read.
const pictureReach = 72

// isInPicture reports whether the number at i stands in the path of a picture (SVG 2, 9.3): before it are numbers with points, and letters
// for commands that touch them, and nothing else: "c1.44 2.83 3.76 5.14 6.59 6.59l2.2-2.2c.27-.27".
func isInPicture(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, pictureReach)
	commands, points := 0, 0
	for k := i - 1; k > low; k-- {
		switch c := t[k]; {
		case isLetterByte(c):
			if !isOneOf(c|0x20, "mlhvcsqtaz") || isLetterByte(t[k-1]) {
				return false
			}
			if isOneOf(t[k+1], digits09+".-") && isOneOf(t[k-1], digits09+"zZ\"'") {
				commands++
			}
		case c == '.':
			points++
		case !isDigitByte(c) && !isOneOf(c, " ,-"):
			return false
		}
		if commands > 1 && points > 2 {
			return true
		}
	}
	return false
}
