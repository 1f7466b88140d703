package guardrail

// Texts in Morse code, and as positions of letters in the alphabet.

// morse maps Morse signs to letters: a sign is a 1 bit followed by a bit per symbol, 0 for a dot and 1 for a dash.
var morse = func() (m [64]byte) {
	for i, sign := range [...]string{
		".-", "-...", "-.-.", "-..", ".", "..-.", "--.", "....", "..", ".---", "-.-", ".-..", "--", "-.", "---", ".--.", "--.-", ".-.",
		"...", "-", "..-", "...-", ".--", "-..-", "-.--", "--..",
	} {
		m[findMorsePath(sign)] = 'a' + byte(i)
	}
	for i, sign := range [...]string{"-----", ".----", "..---", "...--", "....-", ".....", "-....", "--...", "---..", "----."} {
		m[findMorsePath(sign)] = '0' + byte(i)
	}
	return m
}()

func findMorsePath(sign string) int {
	path := 1
	for i := range len(sign) {
		path *= 2
		if sign[i] == '-' {
			path++
		}
	}
	return path
}

// minMorse is how many letters a text in Morse code must have, and minDistinct how many different ones: horizontal rules,
// tables and dotted lines repeat themselves.
const (
	minMorse    = 12
	minDistinct = 6
)

// morseGoesOn are the signs that may follow a sign of Morse code.
var morseGoesOn = [256]bool{'.': true, '-': true, ' ': true, '/': true, '|': true, '\n': true}

// appendMorse decodes the run of dots and dashes at i: one space ends a letter, '/', '|' or more spaces a word.
func appendMorse(dst []byte, s string, i int) (out []byte, end int) {
	n, letters, seen := len(dst), 0, uint32(0)
	for i < len(s) && len(dst) < maxDecoded {
		path, size := 1, 0
		for ; i < len(s) && size < 5 && (s[i] == '.' || s[i] == '-'); i++ {
			path, size = path*2, size+1
			if s[i] == '-' {
				path++
			}
		}
		if size == 0 || morse[path] == 0 || i < len(s) && (s[i] == '.' || s[i] == '-') {
			break
		}
		dst = append(dst, morse[path])
		letters++
		seen |= 1 << (morse[path] & 31)
		gap := i
		for i < len(s) && i-gap < 6 && (s[i] == ' ' || s[i] == '/' || s[i] == '|' || s[i] == '\n') {
			i++
		}
		if i-gap > 1 {
			dst = append(dst, ' ')
		}
	}
	for i < len(s) && (s[i] == '.' || s[i] == '-') {
		i++ // a line, which is not read again from its second sign
	}
	distinct := 0
	for ; seen != 0; seen &= seen - 1 {
		distinct++
	}
	if letters < minMorse || distinct < minDistinct {
		return dst[:n], i
	}
	return dst, i
}

// appendPlaces decodes the run of numbers from 1 to 26 at i as letters. '-', ',' or '.' separates letters and another sign
// words; if spaces separate letters, '/', ',' or two spaces separate words.
func appendPlaces(dst []byte, s string, i int) (out []byte, end int) {
	n, letters, words := len(dst), 0, 0
	for i < len(s) && len(dst) < maxDecoded {
		v, from := 0, i
		for i < len(s) && i-from < 3 && s[i]-'0' < 10 {
			v = v*10 + int(s[i]-'0')
			i++
		}
		if v < 1 || v > 26 {
			break
		}
		dst = append(dst, 'a'+byte(v-1))
		letters++
		gap := i
		for i < len(s) && i-gap < 4 && (s[i] == ' ' || s[i] == '-' || s[i] == ',' || s[i] == '.' || s[i] == '/' || s[i] == '|') {
			i++
		}
		if g := s[gap:i]; len(g) > 1 || g == "/" || g == "|" || g == " " && gap > 2 && partsLetters(s, from) {
			dst = append(dst, ' ')
			words++
		}
		if i == gap {
			break
		}
	}
	if letters < minMorse || words < 2 {
		return dst[:n], i
	}
	return dst, i
}

// beginsPlaces reports whether a number of one or two digits with a sign behind it starts at i.
func beginsPlaces(s string, i int) bool {
	j := i
	for j < len(s) && j-i < 3 && s[j]-'0' < 10 {
		j++
	}
	return j > i && j-i < 3 && j < len(s) && (s[j] == '-' || s[j] == ' ' || s[j] == ',' || s[j] == '.')
}

// partsLetters reports whether a dash precedes the number at i: then spaces separate words.
func partsLetters(s string, i int) bool { return i > 0 && s[i-1] == '-' }
