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

// An anchor is a pair of bytes, the second of class isMark and the one at which
// the scanner stops: the last of that class in the prefixes of its rules.
type anchor struct {
	rules []anchored
	next  [4]uint64 // the bytes that may stand behind, as bits
}

type anchored struct {
	rule  *keyRule
	back  int // from the anchor to the beginning of the prefix
	first byte
}

// anchors are numbered from 1 on. anchorOf has the number of a pair of bytes:
// by the row of the second, then by the first.
var (
	anchors   = make([]anchor, 1)
	anchorRow = makeAnchorRows()
	anchorOf  [anchorRows][256]uint8
	// beforeAnchor are the first bytes of all anchors, behindAnchor what may
	// stand behind them.
	beforeAnchor, behindAnchor [256]bool
)

// anchorRows are one for bytes that are no anchor, the capitals, '_', '-', '.'.
const anchorRows = 1 + 26 + 3

func makeAnchorRows() (rows [256]uint8) {
	n := uint8(0)
	for c := range 256 {
		if b := byte(c); class[b]&isMark != 0 && (marks[b] == onUpper || marks[b] == onMark) {
			n++
			rows[c] = n
		}
	}
	return rows
}

func init() {
	for i := range keyRules {
		r := &keyRules[i]
		for k := len(r.prefix) - 1; k >= 0; k-- {
			c := r.prefix[k]
			if anchorRow[c] == 0 || k == 0 && len(r.prefix) > 1 && upper(r.prefix[1]) {
				continue
			}
			before := byte(0)
			if k > 0 {
				before = r.prefix[k-1]
			}
			beforeAnchor[before] = true
			n := &anchorOf[anchorRow[c]][before]
			if *n == 0 {
				*n = uint8(len(anchors)) //nolint:gosec // there are some 150
				anchors = append(anchors, anchor{})
			}
			anchors[*n].add(r, k)
			break
		}
	}
}

// add takes in a rule whose prefix has the anchor at k.
func (a *anchor) add(r *keyRule, k int) {
	a.rules = append(a.rules, anchored{r, k, r.prefix[0]})
	for i := range 256 {
		c := byte(i)
		ok := r.min == 0 || keySet[c]>>r.of&1 != 0
		if k+1 < len(r.prefix) {
			ok = c == r.prefix[k+1]
		}
		if ok {
			a.next[i>>6] |= 1 << (i & 63)
			behindAnchor[i] = true
		}
	}
}

// anchorAt answers the number of the anchor at i whose keys can go on as the
// text does, or 0.
func anchorAt(t string, i int, before, behind byte) uint8 {
	n := anchorOf[anchorRow[t[i]]][before]
	if n != 0 && len(t)-i >= gateTail && anchors[n].next[behind>>6]>>(behind&63)&1 == 0 {
		return 0
	}
	return n
}

// findKey recognises an access key around the capital, '_', '-' or '.' at i.
func findKey(s *scan, i int) (from, to int, score float32) {
	t := s.v.s
	c, before, behind := t[i], byte(0), byte(0)
	if i > 0 {
		before = t[i-1]
	}
	if i+1 < len(t) {
		behind = t[i+1]
	}
	if n := anchorAt(t, i, before, behind); n != 0 {
		from, to, score = s.prefixed(anchors[n].rules, i)
	}
	if (c == '.' || c == 'Q' || c == '_') && score == 0 {
		from, to, score = s.oddKey(i)
	}
	return from, to, score
}

func (s *scan) prefixed(rules []anchored, i int) (from, to int, score float32) {
	t := s.v.s
	for k := range rules {
		a := &rules[k]
		start := i - a.back
		if start < 0 || t[start] != a.first || start > 0 && keySet[t[start-1]]>>dashes&1 != 0 && !glued(t, start) {
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
		s.ahead(start, j+8)
		end := j
		for end > start+len(p) && (t[end-1] == '.' || t[end-1] == '-' && a.rule.of != dashes) {
			end-- // punctuation of the sentence
		}
		body := t[start+len(p) : end]
		if len(body) < a.rule.min || len(body) > a.rule.max || j < len(t) && word(t[j]) && keySet[t[j]]>>a.rule.of&1 != 0 {
			continue
		}
		if j < len(t) && alnum(t[j]) || a.rule.entropy > 0 && entropy(body) < a.rule.entropy || wordy(body) || unreal(t, end, body) {
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

// unreal reports a key that its issuer shows in manuals, one that is masked in part,
// and the name of a file.
func unreal(t string, end int, body string) bool {
	if strings.HasSuffix(body, "EXAMPLE") || end < len(t) && (t[end] == '#' || t[end] == '*') {
		return true
	}
	if end+3 >= len(t) || t[end] != '.' {
		return false
	}
	k := end + 1
	for k < len(t) && k-end < 6 && alnum(t[k]) {
		k++
	}
	return (k == len(t) || !word(t[k])) && inSet(fileNames, t[end+1:k])
}

// fileNames are the ends of names of files that carry a hash.
var fileNames = toSet("png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "css", "js", "map", "html", "json", "woff", "woff2", "pdf")
