package pii

import "strings"

// puttyLines names the lines of base64 of a private key in a file of PuTTY: "Private-Lines: 1".
const puttyLines = "Private-Lines"

// maxPuttyLines bounds these lines: a key of RSA with 16,384 bits has 80.
const maxPuttyLines = 128

func followsPuttyLines(t string, i int) bool {
	return i >= len(puttyLines) && t[i-len(puttyLines):i] == puttyLines
}

// findPuttyKey recognises a private key of PuTTY at the ':' behind puttyLines: that line and the lines of base64 behind it. They may
// be in a string of JSON, with "\n" for line ends.
func findPuttyKey(s *scan, i int) (int, int, float32) {
	t, start := s.v.s, i-len(puttyLines)
	k := i + 2
	lines := 0
	for ; k < len(t) && k < i+5 && isDigitByte(t[k]); k++ {
		lines = 10*lines + int(t[k]-'0')
	}
	last, coded := k, 0
	for n := 0; n < lines && n < maxPuttyLines; n++ {
		from := findPuTTYLineEnd(t, last)
		to := from
		for to < len(t) && to-from <= 80 && (isAlnum(t[to]) || isOneOf(t[to], "+/=")) {
			to++
		}
		s.noteLookAhead(start, to+4)
		if from == last || to == from {
			break
		}
		last, coded = to, coded+to-from
	}
	s.noteLookAhead(start, k+4)
	if coded < pemCoded || strings.HasPrefix(t[i+2:], "0") {
		return 0, 0, 0
	}
	return start, last, 1
}

// findPuTTYLineEnd returns the end of the line break at i, or i: "\r\n", "\n", or the same as escapes.
func findPuTTYLineEnd(t string, i int) int {
	for _, end := range [...]string{"\r\n", "\n", `\r\n`, `\n`} {
		if strings.HasPrefix(t[i:], end) {
			return i + len(end)
		}
	}
	return i
}
