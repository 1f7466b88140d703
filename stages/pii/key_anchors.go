package pii

import "strings"

// keySet has a bit for each class to which a byte belongs.
var keySet = makeKeySet()

func makeKeySet() (t [256]uint16) {
	for c := range 256 {
		b := byte(c)
		an, dash := isAlnum(b), b == '-' || b == '_'
		for k, in := range [keyClasses]bool{
			alnums: an, words: an || b == '_', dashes: an || dash, dots: an || dash || b == '.',
			base64s: an || dash || b == '+' || b == '/' || b == '=', hexes: class[b]&isHex != 0,
			capitals: isUpper(b) || isDigitByte(b), equals: an || dash || b == '=', equalsDots: an || dash || b == '=' || b == '.',
			capitalDashes: isUpper(b) || isDigitByte(b) || dash, colons: an || dash || b == ':', uuids: class[b]&isHex != 0 || b == '-',
			printed: an || isOneOf(b, "!@#$%^&*(-_=+)."),
		} {
			if in {
				t[c] |= 1 << k
			}
		}
	}
	return t
}

// An anchor is a pair of bytes in the prefixes of keys. The second is one of
// anchorBytes: the scanner stops there.
type anchor struct {
	rules []anchoredRule
	next  [4]uint64 // the bytes that may follow, as bits
}

type anchoredRule struct {
	rule  *keyRule
	back  int // from the anchor to the beginning of the prefix
	first byte
}

// anchors are the anchors of keyRules.
var anchors = makeAnchors()

// An anchorTable looks up anchors by their two bytes.
type anchorTable struct {
	list []anchor // index 0 is unused
	// of maps a pair of bytes to an index in list: by the row of the second, then by the first.
	of   [anchorRows][256]uint8
	rows [256]uint8
	// bytes are the second bytes of all anchors, before are the first bytes, and behind the bytes that may follow them.
	bytes          string
	before, behind [256]bool
}

// anchorRows counts the rows: one for bytes that are not in an anchor, the capitals, '_', '-', '.'.
const anchorRows = 1 + len(anchorBytes)

const anchorBytes = lettersAZ + "_-."

func makeAnchors() (a anchorTable) {
	a.list = make([]anchor, 1)
	for n, c := range []byte(anchorBytes) {
		a.rows[c] = uint8(n + 1)
	}
	for i := range keyRules {
		a.add(&keyRules[i])
	}
	for _, c := range []byte(anchorBytes) {
		if a.of[a.rows[c]] != [256]uint8{} {
			a.bytes += string(c)
		}
	}
	return a
}

// add appends the anchor of a rule: the last byte of its prefix that is in anchorBytes.
func (a *anchorTable) add(r *keyRule) {
	for k := len(r.prefix) - 1; k >= 0; k-- {
		c := r.prefix[k]
		if a.rows[c] == 0 || k == 0 && len(r.prefix) > 1 && isUpper(r.prefix[1]) {
			continue
		}
		before := byte(0)
		if k > 0 {
			before = r.prefix[k-1]
		}
		a.before[before] = true
		n := &a.of[a.rows[c]][before]
		if *n == 0 {
			*n = uint8(len(a.list)) // there are some 150, see TestEveryTriggerHasItsBit
			a.list = append(a.list, anchor{})
		}
		found := &a.list[*n]
		found.rules = append(found.rules, anchoredRule{r, k, r.prefix[0]})
		for next := range 256 {
			if r.follows(k, byte(next)) {
				found.next[next>>6] |= 1 << (next & 63)
				a.behind[next] = true
			}
		}
		return
	}
}

// follows reports whether c can follow the byte at k of the prefix in a key.
func (r *keyRule) follows(k int, c byte) bool {
	if k+1 < len(r.prefix) {
		return c == r.prefix[k+1]
	}
	return r.min == 0 || keySet[c]>>r.of&1 != 0
}

// findAnchor returns the number of the anchor at i whose keys match the following text, or 0.
func findAnchor(t string, i int) uint8 {
	before := byte(0)
	if i > 0 {
		before = t[i-1]
	}
	n := anchors.of[anchors.rows[t[i]]][before]
	if n != 0 && len(t)-i > 2 && anchors.list[n].next[t[i+1]>>6]>>(t[i+1]&63)&1 == 0 {
		return 0
	}
	return n
}

// hasAnchor reports whether an anchor is at i.
func hasAnchor(t string, i int) bool { return findAnchor(t, i) != 0 }

// findPrefixedKey recognises an access key by its prefix, around the anchor at i.
func findPrefixedKey(s *scan, i int) (from, to int, score float32) {
	return s.findLongestPrefixed(anchors.list[findAnchor(s.v.s, i)].rules, i)
}

// findLongestPrefixed returns the longest key of some rules around their anchor at i.
func (s *scan) findLongestPrefixed(rules []anchoredRule, i int) (from, to int, score float32) {
	t := s.v.s
	for k := range rules {
		a := &rules[k]
		start := i - a.back
		if start < 0 || t[start] != a.first || start > 0 && keySet[t[start-1]]>>dashes&1 != 0 && !isGlued(t, start) {
			continue
		}
		if end := s.findKeyEnd(a.rule, start); end-start > to-from {
			from, to, score = start, end, 0.95
		}
	}
	return from, to, score
}

// findKeyEnd returns the end of the key of a rule that starts at start, or 0.
func (s *scan) findKeyEnd(r *keyRule, start int) int {
	t := s.v.s
	if !strings.HasPrefix(t[start:], r.prefix) {
		if len(t)-start < len(r.prefix) && strings.HasPrefix(r.prefix, t[start:]) {
			s.noteLookAhead(start, len(t)+1)
		}
		return 0
	}
	from := start + len(r.prefix)
	j := s.findClassEnd(r.of, from, r.max)
	if j-from < r.min && len(t)-j > 1 {
		return 0 // it ends here, whatever follows
	}
	s.noteLookAhead(start, j+8)
	end := j
	for end > from && (t[end-1] == '.' || t[end-1] == '-' && r.of != dashes) {
		end-- // punctuation of the sentence
	}
	body := t[from:end]
	switch {
	case len(body) < r.min || len(body) > r.max || j < len(t) && isAlnum(t[j]),
		j < len(t) && isWordByte(t[j]) && keySet[t[j]]>>r.of&1 != 0,
		r.entropy > 0 && computeEntropy(body) < r.entropy,
		isWordy(body), isUnreal(t, end, body), r.prefix == "EAAA" && isInBase64(body, findByteAt(t, j)),
		(r.prefix == "s." || r.prefix == "sc_") && looksLikeName(body):
		return 0
	}
	return end
}

// isInBase64 reports whether the body of a key of Square is a part of a longer text in base64: it begins with zeros, or what is
// next has no place in a key.
func isInBase64(body string, next byte) bool {
	return strings.HasPrefix(body, "AAA") || isOneOf(next, "+/")
}

// findClassEnd returns the end of the run of a class at i, at most max+1 behind i. It reads no character twice for the same
// class: a prefix may be in the body of the key before it.
func (s *scan) findClassEnd(of keyClass, i, max int) int {
	t, r, j := s.v.s, &s.classes[of], i
	if r.start <= i && i <= r.end {
		j = r.end
	} else {
		r.start = i
	}
	for j < len(t) && j-i <= max && keySet[t[j]]>>of&1 != 0 {
		j++
	}
	r.end = j
	return min(j, i+max+1)
}

// isGlued reports whether the text before a key is the end of an escape of
// JSON, as in "\nAKIA".
func isGlued(t string, i int) bool {
	return i >= 2 && t[i-2] == '\\' && (t[i-1] == 'n' || t[i-1] == 't' || t[i-1] == 'r')
}

// isUnreal reports whether a key is an example of its issuer, is partly masked, or is the name of a file.
func isUnreal(t string, end int, body string) bool {
	if strings.HasSuffix(body, "EXAMPLE") || holdsYour(body) || end < len(t) && (t[end] == '#' || t[end] == '*') {
		return true
	}
	if end+3 >= len(t) || t[end] != '.' {
		return false
	}
	k := end + 1
	for k < len(t) && k-end < 6 && isAlnum(t[k]) {
		k++
	}
	return (k == len(t) || !isWordByte(t[k])) && isInSet(fileNames, t[end+1:k])
}

// fileNames are endings of the names of files that contain a hash.
var fileNames = buildSet("png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "css", "js", "map", "html", "json", "woff", "woff2", "pdf")
