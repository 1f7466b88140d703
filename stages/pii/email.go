package pii

import (
	"unicode"
	"unicode/utf8"
)

// findEmail recognises an address around the '@' at i: the dot-atom of RFC
// 5321 without the characters that text uses around addresses, letters of all
// scripts (RFC 6531), and a domain of at least two labels whose last is not a
// number. It excludes remotes of git and scp.
func findEmail(s *scan, i int) (int, int, float32) {
	t := s.v.s
	j := i
	for j < len(t) && isDigitByte(t[j]) {
		j++
	}
	at, dom, ok := findAtSign(t, i, j)
	if !ok {
		return 0, 0, 0
	}
	from := s.findLocalStart(at)
	if from == at || dom < len(t) && (t[dom] == ' ' || t[dom] == '<') {
		return findLooseAt(s, at, dom)
	}
	if dom < len(t) && t[dom] == '\n' { // a line was broken
		dom++
		k := dom
		for k < len(t) && k-dom < emailDomainMax && (class[t[k]]&(isDigit|isLetter|isWide) != 0 || t[k] == '-' || t[k] == '.') {
			k++
		}
		s.noteLookAhead(from, k+1)
	}
	end := s.findDomainEnd(dom)
	if e := s.findBracketedDots(from, dom, end); e > end {
		end = e
	}
	if end == dom || hasAtSignAt(t, end) {
		return 0, 0, 0
	}
	if isRemotePath(s, from, at, end) || isRetinaName(t[dom:end]) || namesMachine(s, from, at, dom, end) {
		return 0, 0, 0
	}
	return from, end, 0.95
}

// findLocalStart returns the start of the local part that ends at i, or i without one.
func (s *scan) findLocalStart(i int) int {
	t, low := s.v.s, s.v.stepBack(i, lookBack)
	if i == 0 || t[i-1] == '.' {
		return i
	}
	j, ascii := i, -1 // ascii: end of the characters outside ASCII
	for j > low {
		c := t[j-1]
		if c < utf8.RuneSelf {
			if class[c]&isLocal == 0 || c == '.' && t[j] == '.' {
				break
			}
			j--
			continue
		}
		r, n := utf8.DecodeLastRuneInString(t[:j])
		if !isWordRune(r) || j-n < low {
			break
		}
		if ascii < 0 && isUnspaced(r) {
			ascii = j
		}
		j -= n
	}
	long := j > 0 && (class[t[j-1]]&isLocal != 0 || t[j-1] >= utf8.RuneSelf && followsWord(t, j)) && !(t[j-1] == '.' && t[j] == '.')
	if ascii >= 0 && ascii < i && (long || t[j] >= utf8.RuneSelf) {
		j, long = ascii, false
	}
	if long {
		return i
	}
	j = skipLetterOfEscape(t, low, skipEscapes(t, j, i), i)
	for j < i && t[j] < utf8.RuneSelf && !isWordByte(t[j]) {
		j++
	}
	return j
}

// skipEscapes returns where the text between j and i begins without the rest of a byte that is escaped for a URL, once or twice:
// "3Ckim" behind '%', "253Ckim" too.
func skipEscapes(t string, j, i int) int {
	for j > 0 && (t[j-1] == '%' || j > 2 && t[j-3:j] == "%25") && j+2 <= i && class[t[j]]&class[t[j+1]]&isHex != 0 {
		j += 2
	}
	return j
}

// isRetinaName reports whether a domain is the end of a file name such as
// "icon@2x.png".
func isRetinaName(d string) bool {
	if len(d) > 5 && isDigitByte(d[0]) && d[1] == '.' && isDigitByte(d[2]) {
		d = d[2:] // "icon@0.5x.png"
	}
	return len(d) > 3 && d[0] >= '1' && d[0] <= '9' && d[1]|0x20 == 'x' && d[2] == '.'
}

// isWordRune reports whether r may be in a label or a local part.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return class[byte(r)]&(isLetter|isDigit) != 0
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func followsWord(t string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(t[:i])
	return isWordRune(r)
}
