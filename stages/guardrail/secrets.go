package guardrail

import (
	"fmt"
	"math"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// secrets finds keys and tokens by their prefixes, private keys, JSON web tokens,
// and values behind words like api_key.
type secrets struct {
	e     *engine
	rules []secretRule // by group
}

type secretRule struct {
	prefix   string // as written; empty for a word before a value
	min, max int
	alphabet string
	kind     int
}

const (
	secretPrefix = iota
	secretWord   // api_key = "…"
	secretPEM
	secretJWT
)

func newSecrets(_ *detectorSettings, e *engine) (detector, error) {
	s := &secrets{e: e}
	add := func(literal string, r secretRule) error {
		s.rules = append(s.rules, r)
		return e.addLiteral(literal, len(s.rules)-1, false)
	}
	err := visitDataLines(secretsFile, func(_ int, line string) error {
		f := strings.Split(line, "\t")
		if len(f) == 2 && f[0] == "word" {
			return add(f[1], secretRule{kind: secretWord, min: 12, max: 200, alphabet: "b64u"})
		}
		if len(f) != 5 {
			return fmt.Errorf("a line is name, prefix, least, most and alphabet")
		}
		r := secretRule{prefix: f[1], alphabet: f[4]}
		if _, err := fmt.Sscan(f[2], &r.min); err != nil {
			return err
		}
		if _, err := fmt.Sscan(f[3], &r.max); err != nil {
			return err
		}
		if len(f[1]) >= minSieved || r.alphabet != "hex" {
			return add(f[1], r)
		}
		for k := range 256 {
			if err := add(f[1]+fmt.Sprintf("%02x", k), r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := add("-----BEGIN ", secretRule{kind: secretPEM, prefix: "-----BEGIN "}); err != nil {
		return nil, err
	}
	return s, add("eyJ", secretRule{kind: secretJWT, prefix: "eyJ", alphabet: "b64u"})
}

// minSieved is the shortest prefix that is searched for directly. A shorter one, SK, occurs in many words: it is searched for
// with the two digits behind it, so that the automaton skips the words. BenchmarkDefaultSet8KB/prose takes 3 us less.
const minSieved = 3

func (s *secrets) detect(c *check, dst []finding) []finding {
	runs, until := keyRuns{text: c.v.raw, pace: &c.w.pace}, 0
	s.e.visitHits(c, func(h match.Hit, use literalUse) {
		start, end := c.v.findRawSpan(int(h.Start), int(h.End))
		r := &s.rules[use.group]
		if start < until || r.prefix != "" && !strings.HasPrefix(runs.text[start:], r.prefix) {
			return
		}
		if f, ok := r.find(&runs, start, end); ok {
			dst, until = append(dst, f), f.end
		}
	})
	return dst
}

// keyRuns finds the ends of runs of an alphabet in one text. It remembers the last run of each alphabet, so that
// consecutive prefixes cost no more than the run that contains them: "sk-proj-sk-proj-…".
type keyRuns struct {
	text string
	pace *pace
	last [runUses]struct{ from, to int }
}

// The uses of remembered runs. The parts of a JSON Web Token have separate memories: they share one alphabet and lie apart.
const (
	runAlnum = iota
	runHex
	runBase64URL
	runBase64
	runHeader
	runClaims
	runSignature
	runUses
)

// runUse is the memory of an alphabet.
var runUse = map[string]int{"alnum": runAlnum, "hex": runHex, "b64u": runBase64URL, "b64": runBase64}

// findEnd returns the end of the run of an alphabet that contains text[at], or at.
func (k *keyRuns) findEnd(at int, alphabet string, use int) int {
	m := &k.last[use]
	if m.from <= at && at < m.to {
		return m.to
	}
	to := at
	for to < len(k.text) && isInAlphabet(k.text[to], alphabet) {
		if to++; to == m.from {
			k.pace.spendSteps(to - at)
			m.from = at
			return m.to
		}
	}
	k.pace.spendSteps(to - at)
	if to > at {
		m.from, m.to = at, to
	}
	return to
}

// find judges the secret whose literal is text[start:end].
func (r *secretRule) find(k *keyRuns, start, end int) (f finding, ok bool) {
	raw := k.text
	switch r.kind {
	case secretPrefix:
		return r.findPrefixed(k, start)
	case secretWord:
		from := findValueAfter(raw, end)
		if from < 0 {
			return f, false
		}
		to := k.findEnd(from, r.alphabet, runUse[r.alphabet])
		if n := to - from; n < r.min || n > r.max || !k.pace.spendSteps(n) || computeEntropy(raw[from:to]) < 3.2 || !isMixed(raw[from:to]) {
			return f, false
		}
		return finding{start: from, end: to, score: 0.7}, true
	case secretPEM:
		if line := raw[start:min(len(raw), start+60)]; !strings.Contains(line, "PRIVATE KEY") {
			return f, false
		}
		to := findPEMEnd(raw, end)
		k.pace.spendSteps(to - end)
		return finding{start: start, end: to, score: 1}, true
	case secretJWT:
		return r.findToken(k, start)
	}
	return f, false
}

// findPrefixed judges a key behind its prefix.
func (r *secretRule) findPrefixed(k *keyRuns, start int) (f finding, ok bool) {
	raw := k.text
	if start > 0 && isInAlphabet(raw[start-1], "alnum") {
		return f, false
	}
	end := start + len(r.prefix) // the literal may be longer
	to := k.findEnd(end, r.alphabet, runUse[r.alphabet])
	if to-end > r.max+maxStops {
		return f, false
	}
	for to > end && raw[to-1] == '.' {
		to-- // the end of a sentence
	}
	body := raw[end:to]
	switch {
	case len(body) < r.min || len(body) > r.max || !k.pace.spendSteps(len(body)),
		computeEntropy(body) < 3 && r.alphabet != "hex",
		to < len(raw) && isInAlphabet(raw[to], "b64u"),
		!isMixed(body) && computeEntropy(body) < 4:
		return f, false
	}
	return finding{start: start, end: to, score: 0.95}, true
}

// maxStops is how many full stops behind a key count as the end of a sentence.
const maxStops = 16

// findPEMEnd returns the end of the line that ends a private key, or of the text.
func findPEMEnd(raw string, from int) int {
	k := strings.Index(raw[from:], "-----END")
	if k < 0 {
		return len(raw)
	}
	line := strings.IndexByte(raw[from+k:], '\n')
	if line < 0 {
		return len(raw)
	}
	return from + k + line
}

// findToken judges a JSON Web Token: three parts, each long enough.
func (r *secretRule) findToken(k *keyRuns, start int) (f finding, ok bool) {
	raw := k.text
	a := k.findEnd(start, r.alphabet, runHeader)
	if a >= len(raw) || raw[a] != '.' || a-start < 10 {
		return f, false
	}
	b := k.findEnd(a+1, r.alphabet, runClaims)
	if b >= len(raw) || raw[b] != '.' || b-a < 10 {
		return f, false
	}
	to := k.findEnd(b+1, r.alphabet, runSignature)
	if to-b < 20 {
		return f, false
	}
	return finding{start: start, end: to, score: 0.9}, true
}

// findValueAfter returns the start of the value behind a name, or -1: after = or :, quotes and spaces, or the space after
// bearer.
func findValueAfter(s string, at int) int {
	i, sign := at, false
	for ; i < len(s) && i < at+6; i++ {
		switch s[i] {
		case '=', ':':
			sign = true
		case '"', '\'', '`', ' ', '>':
		default:
			if sign || strings.EqualFold(s[max(0, at-6):at], "bearer") && i > at {
				return i
			}
			return -1
		}
	}
	return -1
}

// isMixed reports whether a value has both letters and digits, because a plain word is not a key.
func isMixed(s string) bool {
	letters, digits := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c-'0' < 10:
			digits = true
		case c|0x20-'a' < 26:
			letters = true
		}
	}
	return letters && digits
}

func isInAlphabet(c byte, alphabet string) bool {
	switch {
	case c-'0' < 10:
		return true
	case alphabet == "hex":
		return c-'a' < 6 || c-'A' < 6
	case c|0x20-'a' < 26:
		return true
	}
	switch c {
	case '_', '-':
		return alphabet == "b64u" || alphabet == "b64"
	case '+', '/', '=', '.':
		return alphabet == "b64"
	}
	return false
}

// computeEntropy returns the entropy of a string, in bits per byte.
func computeEntropy(s string) float64 {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	e := 0.0
	for _, k := range n {
		if k > 0 {
			p := float64(k) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}
