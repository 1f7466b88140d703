package pii

import "strings"

// keySet has a bit for each class that a byte belongs to.
var keySet = makeKeySet()

func makeKeySet() (t [256]uint16) {
	for c := range 256 {
		b := byte(c)
		an, dash := alnum(b), b == '-' || b == '_'
		for k, in := range [keyClasses]bool{
			alnums: an, words: an || b == '_', dashes: an || dash, dots: an || dash || b == '.',
			base64s: an || dash || b == '+' || b == '/' || b == '=', hexes: class[b]&isHex != 0,
			capitals: upper(b) || digit(b), equals: an || dash || b == '=', equalsDots: an || dash || b == '=' || b == '.',
		} {
			if in {
				t[c] |= 1 << k
			}
		}
	}
	return t
}

// anchors finds the rules by the byte at which the scanner stops and the one
// before it: the last byte of class isMark in the prefix.
var anchors = makeAnchors()

type anchored struct {
	rule *keyRule
	back int // from the anchor to the beginning of the prefix
}

func makeAnchors() map[[2]byte][]anchored {
	m := map[[2]byte][]anchored{}
	for i := range keyRules {
		r := &keyRules[i]
		for k := len(r.prefix) - 1; k >= 0; k-- {
			c := r.prefix[k]
			if class[c]&isMark == 0 || marks[c] != onUpper && marks[c] != onMark || k == 0 && len(r.prefix) > 1 && upper(r.prefix[1]) {
				continue
			}
			key := [2]byte{0, c}
			if k > 0 {
				key[0] = r.prefix[k-1]
			}
			m[key] = append(m[key], anchored{r, k})
			anchorBits[key[0]][c>>6] |= 1 << (c & 63)
			break
		}
	}
	return m
}

// anchorBits says quickly whether a pair of bytes is an anchor.
var anchorBits [256][4]uint64

// findKey recognises an access key around the capital, '_', '-' or '.' at i.
func findKey(s *scan, i int) (from, to int, score float32) {
	t := s.v.s
	c, before := t[i], byte(0)
	if i > 0 {
		before = t[i-1]
	}
	if anchorBits[before][c>>6]>>(c&63)&1 != 0 {
		from, to, score = s.prefixed(anchors[[2]byte{before, c}], i)
	}
	if (c == '.' || c == 'Q' || c == '_') && score == 0 {
		from, to, score = s.oddKey(i)
	}
	return from, to, score
}

func (s *scan) prefixed(rules []anchored, i int) (from, to int, score float32) {
	t := s.v.s
	for _, a := range rules {
		start := i - a.back
		if start < 0 || start > 0 && keySet[t[start-1]]>>dashes&1 != 0 && !glued(t, start) {
			continue
		}
		p := a.rule.prefix
		if !strings.HasPrefix(t[start:], p) {
			if len(t)-start < len(p) && strings.HasPrefix(p, t[start:]) {
				s.ahead(start, len(t)+1)
			}
			continue
		}
		j := start + len(p)
		for j < len(t) && j-start-len(p) <= a.rule.max && keySet[t[j]]>>a.rule.of&1 != 0 {
			j++
		}
		s.ahead(start, j+2)
		end := j
		for end > start+len(p) && (t[end-1] == '.' || t[end-1] == '-' && a.rule.of != dashes) {
			end-- // punctuation of the sentence
		}
		body := t[start+len(p) : end]
		if len(body) < a.rule.min || len(body) > a.rule.max || j < len(t) && word(t[j]) && keySet[t[j]]>>a.rule.of&1 != 0 {
			continue
		}
		if j < len(t) && alnum(t[j]) || a.rule.entropy > 0 && entropy(body) < a.rule.entropy || wordy(body) {
			continue
		}
		if end-start > to-from {
			from, to, score = start, end, 0.95
		}
	}
	return from, to, score
}

// glued reports whether what stands before a key is the end of an escape of
// JSON, as in "\nAKIA".
func glued(t string, i int) bool {
	return i >= 2 && t[i-2] == '\\' && (t[i-1] == 'n' || t[i-1] == 't' || t[i-1] == 'r')
}
