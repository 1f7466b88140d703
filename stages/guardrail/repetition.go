package guardrail

import (
	"slices"
	"strings"
	"unicode"
)

// repetition finds one character or a few letters repeated many times, and three words that occur again and again.
type repetition struct{ run, repeat int }

// Defaults: lines of dashes in tables are shorter, and prose does not repeat itself so often.
const (
	defaultRun    = 200
	defaultRepeat = 20
)

func newRepetition(d *detectorSettings, _ *engine) (detector, error) {
	r := repetition{run: d.MaxRun, repeat: d.MaxNgramRepeat}
	if r.run <= 0 {
		r.run = defaultRun
	}
	if r.repeat <= 0 {
		r.repeat = defaultRepeat
	}
	return r, nil
}

func (d repetition) detect(c *check, dst []finding) []finding {
	n, last, from := 0, rune(-1), 0
	for i, r := range c.v.raw {
		if !c.w.pace.spendSteps(1) {
			return dst
		}
		if r != last || unicode.IsSpace(r) {
			n, last, from = 0, r, i
		}
		if n++; n > d.run {
			return append(dst, finding{start: from, end: len(c.v.raw), score: 1})
		}
	}
	if from := d.findRepetition(c.v.raw, &c.w.pace); from >= 0 {
		return append(dst, finding{start: from, end: len(c.v.raw), score: 1})
	}
	if c.v.ensureWords(); len(c.v.words) < d.repeat+3 {
		return dst
	}
	seen := c.w.seen[:0]
	for i := 2; i < len(c.v.words) && c.w.pace.spendSteps(1); i++ {
		a, b := hashPair(c.v.words[i-2].hash, c.v.words[i-1].hash), c.v.words[i].hash
		seen = append(seen, hashPair(a, b))
	}
	slices.Sort(seen)
	c.w.seen = seen
	same, prev := 0, uint32(0)
	for i, h := range seen {
		if i == 0 || h != prev {
			same, prev = 0, h
		}
		if same++; same > d.repeat {
			return append(dst, finding{end: len(c.v.raw), score: 1})
		}
	}
	return dst
}

// maxPeriod is the longest repeated sequence without a space, in bytes.
const maxPeriod = 8

// findRepetition returns the start of a few letters that repeat for longer than allowed, or -1: "lollollol". Rows of
// signs are lines of tables.
func (d repetition) findRepetition(s string, pace *pace) int {
	var same [maxPeriod + 1]int
	for i := range len(s) {
		if !pace.spendSteps(1) {
			return -1
		}
		for p := 2; p <= maxPeriod && p <= i; p++ {
			if s[i] != s[i-p] || s[i] <= ' ' {
				same[p] = 0
				continue
			}
			if same[p]++; same[p] > d.run && strings.ContainsFunc(s[i-p:i], unicode.IsLetter) {
				return i - same[p] - p + 1
			}
		}
	}
	return -1
}

func hashPair(a, b uint32) uint32 { return (a*0x85ebca6b ^ b) * 0x9e3779b1 }
