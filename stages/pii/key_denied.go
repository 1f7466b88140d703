package pii

import "strings"

// denials are words that make what follows them no public key, and those before which a word is one of "n't".
var denials = strings.Fields("not non no never cannot without nicht kein keine pas nunca jamais")

// followsPublic reports whether the word "public" precedes the name at from, before the separator at i, and nothing in its line denies it:
// "Public key: h1HkYl...". A key that somebody must not make public is a secret.
func followsPublic(s *scan, i, from int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	k := from - len("public ")
	if k < low || !hasFold(t, k, "public ") || k > 0 && (isAlnum(t[k-1]) || t[k-1] == '-' || t[k-1] >= 0x80) {
		return false
	}
	line := strings.ToLower(t[low:k])
	for w := range strings.FieldsSeq(line[strings.LastIndexByte(line, '\n')+1:]) {
		w = strings.Trim(w, "\"'`(*_.,;:!?-")
		if strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			return false
		}
		for _, d := range denials {
			if w == d {
				return false
			}
		}
	}
	return true
}

// resourceMax bounds the name of a resource that is read.
const resourceMax = 64

// namesResource reports whether the "::" at i stands between a type of an infrastructure, whose name at from is words with capitals, and
// the name of a resource, a word of letters alone: "random:index/randomPassword:RandomPassword::param".
func namesResource(s *scan, i, from int) bool {
	t := s.v.s
	if findByteAt(t, i+1) != ':' || !isUpper(t[from]) {
		return false
	}
	if size := i - from; from > size+2 && t[from-size-2] == '/' && strings.EqualFold(t[from-size-1:from-1], t[from:i]) {
		return true // the module, the type and its name: "random:index/password:Password::my-pw"
	}
	if findLastWord(t[from:i]) == 0 {
		return false
	}
	k := i + 2
	for k < len(t) && k-i < resourceMax && (isLetterByte(t[k]) || t[k] == '_') {
		k++
	}
	s.noteLookAhead(i, k+1)
	return k > i+2 && (k == len(t) || isOneOf(t[k], " \n\r\t\"'`,;)]}"))
}
