package wasm

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// action is what a link does with the matches of a label.
type action uint8

const (
	_ action = iota
	flag
	redact
	block
)

// hit is a match, or several that overlap. Overlapping matches that are to be redacted or blocked become one hit that covers all of them:
// removing only the longest would leave the ends of the others. The label is that of the strongest action, then of the longest match,
// then of the highest score.
type hit struct {
	start, end int
	label      int
	action     action
	longest    int
	score      float32
}

// maxHit is the longest hit, in bytes, of a detector whose matches have the usual length: the most that a stream may have to hold back.
const maxHit = 4 * abi.MaxMatch

// findMaxHitLength returns the longest hit of a detector, in bytes. For the longest possible matches it is 32 KiB, so that
// no stream holds more than 48 KiB.
func findMaxHitLength(m *Manifest) int { return max(maxHit, 2*m.MaxMatch) }

// contextBytes is the length of the text that precedes the new text of a piece.
const contextBytes = 96

// findHits passes a text, or a piece of one, to the guest and returns the hits that begin in [sent, known). Text before
// sent is context; text from known on must be passed again with more text behind it. If last is set, known is len(text).
//
// The result does not depend on how a text was cut into pieces, provided that the guest decides about a match from at most max_match
// bytes of text, one character behind it, and the context before it:
//
// - a match that begins before len(text)-max_match has been seen whole, with
// a character behind it;
// - a hit that reaches beyond that point may still grow, so all of it waits;
// - text that may become a placeholder waits until that is known.
func (s *Stage) findHits(i *instance, text string, flags uint32, sent int, last bool) (hits []hit, known int, err error) {
	known = len(text)
	if !last {
		flags |= abi.DetectAfter
		known = s.findSettledEnd(text, sent)
	}
	matches, err := i.detect(text, flags)
	if err != nil {
		return nil, 0, err
	}
	return s.gather(i, text, matches, sent, known)
}

// gather merges the matches that begin in [sent, known), which are in order, into hits, and moves known back to the beginning of a hit
// that may still grow.
func (s *Stage) gather(i *instance, text string, matches []Match, sent, known int) (hits []hit, settled int, err error) {
	hits = i.hits[:0]
	growing := -1
	for _, m := range matches {
		if m.Start < sent {
			continue
		}
		if m.Start >= known {
			break
		}
		if placeholder.Touches(text, m.Start, m.End) {
			continue
		}
		h := hit{start: m.Start, end: m.End, label: m.Label, action: s.actions[m.Label], longest: m.End - m.Start, score: m.Score}
		switch {
		case h.action == flag:
			hits = append(hits, h)
		case growing >= 0 && h.start < hits[growing].end:
			if hits[growing].join(h); hits[growing].end-hits[growing].start > s.longest {
				i.hits = hits
				return nil, 0, i.v.newABIFault("its matches overlap over more than %d bytes", s.longest)
			}
		default:
			growing = len(hits)
			hits = append(hits, h)
		}
	}
	i.hits = hits
	if growing >= 0 && hits[growing].end > known {
		known = hits[growing].start
		hits = cutHits(hits, known)
	}
	return hits, known, nil
}

// join extends h to cover g.
func (h *hit) join(g hit) {
	h.end = max(h.end, g.end)
	if g.action > h.action || g.action == h.action && (g.longest > h.longest || g.longest == h.longest && g.score > h.score) {
		h.label, h.action, h.longest, h.score = g.label, g.action, g.longest, g.score
	}
}

// cutHits returns the hits that begin before known. The hits are in order.
func cutHits(hits []hit, known int) []hit {
	for k := range hits {
		if hits[k].start >= known {
			return hits[:k]
		}
	}
	return hits
}

// findSettledEnd returns the end of the text in which every match is known.
func (s *Stage) findSettledEnd(text string, sent int) int {
	m := &s.v.Manifest
	known := max(sent, len(text)-m.MaxMatch)
	if m.Token {
		for k := len(text); k > known; k-- {
			if isSpace(text[k-1]) {
				known = k
				break
			}
		}
	}
	if n := placeholder.FindPartial(text); n > len(text)-known {
		known = max(sent, len(text)-n)
	}
	return findFloor(text, known, sent)
}

// pieceBytes is the longest text passed to a guest at once. Longer texts are cut like a stream, so that a prompt of many megabytes fits
// into a guest's memory.
const pieceBytes = 64 << 10

// judgeText passes a text of any length to the guest and takes the hits of each piece. Text before sent is context;
// before is true if more text preceded it. It returns the offset up to which the text is decided.
func (c *check) judgeText(text string, flags uint32, before bool, sent int, last bool) (known int, err error) {
	if c.s.v.has.detectsByStream() {
		return c.judgeTextByStream(text, flags)
	}
	base := 0
	for {
		end := len(text)
		if limit := base + sent + pieceBytes; limit < end {
			end = findFloor(text, limit, base+sent)
		}
		f := flags
		if base > 0 || before {
			f |= abi.DetectBefore
		}
		hits, known, err := c.s.findHits(c.inst, text[base:end], f, sent, last && end == len(text))
		if err != nil {
			return 0, err
		}
		known += base
		if len(hits) > 0 && !c.recordHits(hits, base) || end == len(text) {
			return known, nil
		}
		base = findFloor(text, max(0, known-contextBytes), 0)
		sent = known - base
	}
}

// findFloor returns the last character boundary at or before at, but not less than low.
func findFloor(text string, at, low int) int {
	for at > low && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
