package pii

import (
	"math"
	"strings"
)

// oddKey recognises families that have their mark in the middle.
func (s *scan) oddKey(i int) (from, to int, score float32) {
	t := s.v.s
	try := func(start, back, min, max int, of keyClass, entropyMin float32) {
		if start < 0 || back != i-start || start > 0 && alnum(t[start-1]) {
			return
		}
		j := i + 1
		for j < len(t) && j-i <= max && keySet[t[j]]>>of&1 != 0 {
			j++
		}
		s.ahead(start, j+2)
		if n := j - i - 1; n >= min && n <= max && entropy(t[start:j]) >= entropyMin {
			from, to, score = start, j, 0.9
		}
	}
	switch t[i] {
	case '.':
		start := s.back(i, alnums, 40)
		switch n := i - start; {
		case n == 17 && strings.HasPrefix(t[start:], "pat"):
			try(start, n, 64, 64, hexes, 2.5) // Airtable
		case n == 14 && i+9 <= len(t) && t[i:i+9] == ".atlasv1.":
			try(start, n, 66, 80, equalsDots, 3) // Terraform
		case n == 14 && i+9 > len(t) && strings.HasPrefix(".atlasv1.", t[i:]):
			s.ahead(start, len(t)+1)
		case n >= 23 && n <= 28 && (t[start] == 'M' || t[start] == 'N' || t[start] == 'O'):
			try(start, n, 33, 46, dots, 4) // Discord bots
		}
	case 'Q': // Azure: three characters, a digit, "Q~"
		if i+1 >= len(t) {
			if i >= 4 && digit(t[i-1]) {
				s.ahead(i-4, len(t)+1)
			}
			return
		}
		if i < 4 || t[i+1] != '~' || !digit(t[i-1]) {
			return
		}
		j := i + 2
		for j < len(t) && j-i < 40 && (keySet[t[j]]>>dots&1 != 0 || t[j] == '~') {
			j++
		}
		s.ahead(i-4, j+1)
		if n := j - i - 2; n >= 31 && n <= 34 && (i == 4 || !word(t[i-5])) {
			return i - 4, j, 0.9
		}
	case '_': // MaxMind
		if start := s.back(i, alnums, 8); i-start == 6 {
			j := i + 1
			for j < len(t) && j-i <= 29 && alnum(t[j]) {
				j++
			}
			s.ahead(start, j+5)
			if j-i == 30 && strings.HasPrefix(t[j:], "_mmk") {
				return start, j + 4, 0.9
			}
		}
	}
	return from, to, score
}

// back answers where the run of a class that ends at i begins, at most n bytes
// before.
func (s *scan) back(i int, of keyClass, n int) int {
	t, low := s.v.s, max(s.v.back(i, tokenBack), i-n)
	for i > low && keySet[t[i-1]]>>of&1 != 0 {
		i--
	}
	return i
}

// entropy is the Shannon entropy of a text in bits a byte.
func entropy(t string) float32 {
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

// wordy reports whether the body of a key is a name in a program: letters and
// '_' only, or a row of the same letter.
func wordy(b string) bool {
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
		if digit(b[i]) {
			return false
		}
		if b[i] >= 'a' && b[i] <= 'z' {
			lower++
		}
		if i > 0 && upper(b[i]) && !upper(b[i-1]) {
			turns++
		}
	}
	return lower == len(b) && strings.ContainsAny(b, "aeiou") && entropy(b) < 3 || lower > 0 && turns > 0 && turns <= len(b)/6
}
