package pii

import (
	"math"
	"strings"
)

// followsFourteenAlnum reports whether the byte 14 bytes before i is a letter or digit, as in the
// shortest head of a dottedKey.
func followsFourteenAlnum(t string, i int) bool { return i >= 14 && isAlnum(t[i-14]) }

// findDottedKey recognises keys with a '.' at i between a head and a body.
func findDottedKey(s *scan, i int) (from, to int, score float32) {
	t := s.v.s
	start := s.findRunStart(i, alnums, 40)
	const terraform = ".atlasv1."
	switch n := i - start; {
	case n == 17 && strings.HasPrefix(t[start:], "pat"): // Airtable
		return s.findBodyOfKey(start, i, 64, 64, hexes, 2.5)
	case n == 14 && strings.HasPrefix(t[i:], terraform):
		return s.findBodyOfKey(start, i, 66, 80, equalsDots, 3)
	case n == 14 && len(t)-i < len(terraform) && strings.HasPrefix(terraform, t[i:]):
		s.noteLookAhead(start, len(t)+1)
	case n >= 23 && n <= 28 && isOneOf(t[start], "MNO") && hasPointSoon(t, i): // bots of Discord
		return s.findBodyOfKey(start, i, 33, 46, dots, 4)
	}
	return 0, 0, 0
}

// hasPointSoon reports whether a second '.' follows the one at i behind six or seven characters, or the text ends there.
func hasPointSoon(t string, i int) bool {
	rest := t[i+1 : min(len(t), i+9)]
	return len(rest) < 8 || strings.Contains(rest[5:], ".")
}

// findBodyOfKey judges the key at start, whose body, of min to max characters of a class, follows the '.' at i.
func (s *scan) findBodyOfKey(start, i, min, max int, of keyClass, entropyMin float32) (from, to int, score float32) {
	t := s.v.s
	if start > 0 && isAlnum(t[start-1]) {
		return 0, 0, 0
	}
	j := i + 1
	for j < len(t) && j-i <= max && keySet[t[j]]>>of&1 != 0 {
		j++
	}
	if j-i-1 < min && len(t)-j > 1 {
		return 0, 0, 0 // it ends here, whatever follows
	}
	s.noteLookAhead(start, j+2)
	if n := j - i - 1; n < min || n > max || computeEntropy(t[start:j]) < entropyMin {
		return 0, 0, 0
	}
	return start, j, 0.9
}

// findAzureKey recognises a client secret of Azure at the 'Q': three characters, a digit,
// "Q~" and 31 to 34 more.
func findAzureKey(s *scan, i int) (from, to int, score float32) {
	t := s.v.s
	if i < 4 || !isDigitByte(t[i-1]) {
		return 0, 0, 0
	}
	if i+1 >= len(t) {
		s.noteLookAhead(i-4, len(t)+1)
		return 0, 0, 0
	}
	if t[i+1] != '~' {
		return 0, 0, 0
	}
	j := i + 2
	for j < len(t) && j-i < 40 && (keySet[t[j]]>>dots&1 != 0 || t[j] == '~') {
		j++
	}
	s.noteLookAhead(i-4, j+1)
	if n := j - i - 2; n < 31 || n > 34 || i > 4 && isWordByte(t[i-5]) || isFilled(t[i+2:j]) {
		return 0, 0, 0
	}
	return i - 4, j, 0.9
}

// followsSixAlnum reports whether a run of letters and digits begins six bytes before i.
func followsSixAlnum(t string, i int) bool {
	return i >= 6 && isAlnum(t[i-6]) && (i == 6 || !isAlnum(t[i-7]))
}

// findMaxMindKey recognises a licence key of MaxMind at its first '_': six characters, '_',
// 29 more and "_mmk".
func findMaxMindKey(s *scan, i int) (from, to int, score float32) {
	t := s.v.s
	start := s.findRunStart(i, alnums, 8)
	if i-start != 6 {
		return 0, 0, 0
	}
	j := i + 1
	for j < len(t) && j-i <= 29 && isAlnum(t[j]) {
		j++
	}
	if j-i < 30 && len(t)-j > 1 {
		return 0, 0, 0 // it ends here, whatever follows
	}
	s.noteLookAhead(start, j+5)
	if j-i != 30 || !strings.HasPrefix(t[j:], "_mmk") || isFilled(t[i+1:j]) {
		return 0, 0, 0
	}
	return start, j + 4, 0.9
}

// findRunStart returns the start of the run of a class that ends at i, at most n bytes before.
func (s *scan) findRunStart(i int, of keyClass, n int) int {
	t, low := s.v.s, max(s.v.stepBack(i, tokenBack), i-n)
	for i > low && keySet[t[i-1]]>>of&1 != 0 {
		i--
	}
	return i
}

// computeEntropy returns the Shannon entropy of a text in bits per byte.
func computeEntropy(t string) float32 {
	var n [256]uint16
	for i := range len(t) {
		n[t[i]]++
	}
	h := 0.0
	for i := range len(t) {
		if c := n[t[i]]; c > 0 {
			p := float64(c) / float64(len(t))
			h -= p * math.Log2(p)
			n[t[i]] = 0
		}
	}
	return float32(h)
}

// isWordy reports whether the body of a key is a name in a program: letters and
// '_' only, or a row of the same letter.
func isWordy(b string) bool {
	run := 1
	for i := range len(b) {
		if i > 0 && b[i] == b[i-1] {
			if run++; run >= 8 {
				return b[i]|0x20 == 'x' || b[i] == '*'
			}
			continue
		}
		run = 1
	}
	if len(b) > 60 || len(b) < 8 {
		return false
	}
	lower, turns := 0, 0
	for i := range len(b) {
		if isDigitByte(b[i]) {
			return false
		}
		if b[i] >= 'a' && b[i] <= 'z' {
			lower++
		}
		if i > 0 && isUpper(b[i]) && !isUpper(b[i-1]) {
			turns++
		}
	}
	return lower == len(b) && strings.ContainsAny(b, "aeiou") && computeEntropy(b) < 3 || lower > 0 && turns > 0 && turns <= len(b)/6
}
