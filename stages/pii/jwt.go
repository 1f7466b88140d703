package pii

import (
	"bytes"
	"encoding/base64"
)

// jwtMax is the maximum length of a token.
const jwtMax = 8 << 10

// findJWT recognises a JSON Web Token (RFC 7519): from its "eyJ" two or more
// parts in base64url whose first is a JSON object with an algorithm, or two
// parts that both begin as objects do.
func findJWT(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if t[i] == '.' {
		return findJWTLike(s, i)
	}
	if t[i] == 'K' {
		return findDoubleJWT(s, i)
	}
	if t[i] != 'J' || i < 2 || t[i-1] != 'y' || t[i-2] != 'e' {
		return 0, 0, 0
	}
	start := i - 2
	if start > 0 && keySet[t[start-1]]>>dashes&1 != 0 && !isGlued(t, start) {
		return 0, 0, 0
	}
	dot, end, parts := s.findJWTParts(start)
	if parts < 2 || end-start > jwtMax {
		return 0, 0, 0
	}
	if names(t[start:dot], "\"alg\"") || names(t[start:dot], "\"enc\"") || len(t)-dot > 3 && t[dot:dot+3] == ".ey" {
		return start, end, 1
	}
	return 0, 0, 0
}

// findJWTParts reads the parts of a token. It returns the ends of the first and the last, and their number.
func (s *scan) findJWTParts(start int) (first, end, parts int) {
	t, j := s.v.s, start
	for parts < 5 {
		k := s.findClassEnd(dashes, j, max(-1, jwtMax-(j-start)))
		if k-j < 4 && parts < 2 {
			break
		}
		if parts++; parts == 1 {
			first = k
		}
		end = k
		if k >= len(t) || t[k] != '.' || parts >= 2 && !(k+1 < len(t) && keySet[t[k+1]]>>dashes&1 != 0) {
			break
		}
		j = k + 1
	}
	s.noteLookAhead(start, end+2)
	return first, end, parts
}

// findDoubleJWT recognises a token encoded in base64 again.
func findDoubleJWT(s *scan, i int) (int, int, float32) {
	t := s.v.s
	start := i - 3
	if start < 0 || t[start:i+1] != "ZXlK" || start > 0 && keySet[t[start-1]]>>base64s&1 != 0 && t[start-1] != '=' {
		return 0, 0, 0
	}
	j := s.findClassEnd(base64s, i+1, jwtMax-4)
	s.noteLookAhead(start, j+1)
	if j-start < 60 || j-start > jwtMax || !holdsParts(t[start:j]) {
		return 0, 0, 0
	}
	return start, j, 0.8
}

// holdsParts reports whether a text in base64 has a '.' in what it codes, as a token has between its parts, within its first bytes. A
// single object has none.
func holdsParts(v string) bool {
	var in [1024]byte
	var out [768]byte
	n := copy(in[:], v) &^ 3
	for k := range in[:n] {
		switch in[k] {
		case '-':
			in[k] = '+'
		case '_':
			in[k] = '/'
		}
	}
	k, _ := base64.StdEncoding.Decode(out[:], in[:n]) // what precedes a fault is enough
	return bytes.IndexByte(out[:k], '.') > 0
}

// findJWTLike recognises two parts that start like encoded objects, whatever they contain; i is the '.' between them.
func findJWTLike(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i+2 >= len(t) || t[i+1] != 'e' || t[i+2] != 'y' {
		if start := s.findRunStart(i, dashes, 60); i+2 >= len(t) && i-start >= 19 && t[start] == 'e' && t[start+1] == 'y' {
			s.noteLookAhead(start, len(t)+1)
		}
		return 0, 0, 0
	}
	start := s.findRunStart(i, dashes, 60)
	if i-start < 19 || t[start] != 'e' || t[start+1] != 'y' || start > 0 && (keySet[t[start-1]]>>dots&1 != 0) {
		return 0, 0, 0
	}
	j := i + 1
	for j < len(t) && j-start <= jwtMax && (keySet[t[j]]>>dashes&1 != 0 || t[j] == '/' || t[j] == '\\') {
		j++
	}
	k := j
	if j < len(t) && t[j] == '.' {
		k = j + 1
		for k < len(t) && k-start <= jwtMax && (keySet[t[k]]>>equals&1 != 0 || t[k] == '/' || t[k] == '\\') {
			k++
		}
	}
	s.noteLookAhead(start, k+1)
	if j-i < 20 || k-start > jwtMax {
		return 0, 0, 0
	}
	return start, k, 0.8
}

// names reports whether a part in base64url contains the word.
func names(part, word string) bool {
	var buf [1536]byte
	n := min(len(part), 2048) &^ 3
	if len(part) <= 2048 {
		n = len(part)
	}
	var in [2048]byte
	copy(in[:], part[:n])
	k, err := base64.RawURLEncoding.Decode(buf[:], in[:n])
	return err == nil && bytes.Contains(buf[:k], []byte(word))
}
