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
	prefix   string // as it is written; "": a word that a value follows
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
		return e.literal(literal, len(s.rules)-1, false)
	}
	err := dataLines(secretsFile, func(_ int, line string) error {
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
		return add(f[1], r)
	})
	if err != nil {
		return nil, err
	}
	if err := add("-----BEGIN ", secretRule{kind: secretPEM, prefix: "-----BEGIN "}); err != nil {
		return nil, err
	}
	return s, add("eyJ", secretRule{kind: secretJWT, prefix: "eyJ", alphabet: "b64u"})
}

func (s *secrets) look(c *check, dst []finding) []finding {
	raw, until := c.v.raw, 0
	s.e.hitsOf(c, func(h match.Hit, use literalUse) {
		start, end := c.v.rawSpan(int(h.Start), int(h.End))
		r := &s.rules[use.group]
		if start < until || r.prefix != "" && !strings.HasPrefix(raw[start:], r.prefix) {
			return
		}
		if f, ok := r.find(raw, start, end); ok {
			dst, until = append(dst, f), f.end
		}
	})
	return dst
}

// find judges the secret whose literal is raw[start:end].
func (r *secretRule) find(raw string, start, end int) (f finding, ok bool) {
	switch r.kind {
	case secretPrefix:
		return r.findPrefixed(raw, start, end)
	case secretWord:
		from := valueAfter(raw, end)
		if from < 0 {
			return f, false
		}
		to := run(raw, from, r.alphabet)
		v := raw[from:to]
		if n := to - from; n < r.min || n > r.max || entropy(v) < 3.2 || !mixed(v) {
			return f, false
		}
		return finding{start: from, end: to, score: 0.7}, true
	case secretPEM:
		if line := raw[start:min(len(raw), start+60)]; !strings.Contains(line, "PRIVATE KEY") {
			return f, false
		}
		return finding{start: start, end: pemEnd(raw, end), score: 1}, true
	case secretJWT:
		return r.findToken(raw, start)
	}
	return f, false
}

// findPrefixed judges a key behind its prefix.
func (r *secretRule) findPrefixed(raw string, start, end int) (f finding, ok bool) {
	if start > 0 && inAlphabet(raw[start-1], "alnum") {
		return f, false
	}
	to := run(raw, end, r.alphabet)
	for to > end && raw[to-1] == '.' {
		to-- // the end of a sentence
	}
	body := raw[end:to]
	switch {
	case len(body) < r.min || len(body) > r.max,
		entropy(body) < 3 && r.alphabet != "hex",
		to < len(raw) && inAlphabet(raw[to], "b64u"),
		!mixed(body) && entropy(body) < 4:
		return f, false
	}
	return finding{start: start, end: to, score: 0.95}, true
}

// pemEnd returns the end of the line that ends a private key, or of the text.
func pemEnd(raw string, from int) int {
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
func (r *secretRule) findToken(raw string, start int) (f finding, ok bool) {
	a := run(raw, start, r.alphabet)
	if a >= len(raw) || raw[a] != '.' || a-start < 10 {
		return f, false
	}
	b := run(raw, a+1, r.alphabet)
	if b >= len(raw) || raw[b] != '.' || b-a < 10 {
		return f, false
	}
	to := run(raw, b+1, r.alphabet)
	if to-b < 20 {
		return f, false
	}
	return finding{start: start, end: to, score: 0.9}, true
}

// valueAfter returns where the value behind a name begins, or -1: after = or :, quotes
// and spaces, or the space after bearer.
func valueAfter(s string, at int) int {
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

// mixed reports letters beside digits: a word is no key.
func mixed(s string) bool {
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

// run returns where a run of an alphabet ends.
func run(s string, at int, alphabet string) int {
	for at < len(s) && inAlphabet(s[at], alphabet) {
		at++
	}
	return at
}

func inAlphabet(c byte, alphabet string) bool {
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

// entropy of the bytes of a string, in bits each.
func entropy(s string) float64 {
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
