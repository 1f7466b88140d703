package wasm

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// action is what a stage does about a label.
type action uint8

const (
	_ action = iota
	flag
	redact
	block
)

// hit is one thing found. Matches that overlap and are to be redacted or
// blocked become one hit, which covers all of them: to cut out the longest
// alone would leave the ends of the others standing. The label is that of the
// strongest action, then of the longest match, then of the highest score.
type hit struct {
	start, end int
	label      int
	action     action
	longest    int
	score      float32
}

// maxHit is the longest hit: what a stream may have to hold back for one.
const maxHit = 4 * abi.MaxMatch

// contextBytes is how much text a piece shows before what is new in it.
const contextBytes = 96

// look asks the guest about a text, or a piece of one, and gives the hits that
// begin in [sent, clear). Text before sent is context; text from clear on must
// be shown again with more behind it. When last is set clear is len(text).
//
// What is decided here does not depend on how a text was cut into pieces, if
// the guest decides about a match from the text of at most max_match bytes, one
// character behind it, and the context before it:
//
//   - a match that begins before len(text)-max_match has been seen whole, with
//     a character behind it;
//   - a hit that reaches beyond that point may still grow, so it waits whole;
//   - what may become a placeholder waits until it is known.
func (s *Stage) look(i *instance, text string, flags uint32, sent int, last bool) (hits []hit, clear int, err error) {
	clear = len(text)
	if !last {
		flags |= abi.DetectAfter
		clear = s.settled(text, sent)
	}
	matches, err := i.detect(text, flags)
	if err != nil {
		return nil, 0, err
	}
	hits = i.hits[:0]
	growing := -1
	for _, m := range matches {
		if m.Start < sent {
			continue
		}
		if m.Start >= clear {
			break
		}
		if touchesPlaceholder(text, m.Start, m.End) {
			continue
		}
		h := hit{start: m.Start, end: m.End, label: m.Label, action: s.actions[m.Label], longest: m.End - m.Start, score: m.Score}
		switch {
		case h.action == flag:
			hits = append(hits, h)
		case growing >= 0 && h.start < hits[growing].end:
			if hits[growing].join(h); hits[growing].end-hits[growing].start > maxHit {
				i.hits = hits
				return nil, 0, i.v.abiFault("its matches overlap over more than %d bytes", maxHit)
			}
		default:
			growing = len(hits)
			hits = append(hits, h)
		}
	}
	i.hits = hits
	if growing >= 0 && hits[growing].end > clear {
		clear = hits[growing].start
		hits = before(hits, clear)
	}
	return hits, clear, nil
}

// join makes h cover g as well.
func (h *hit) join(g hit) {
	h.end = max(h.end, g.end)
	if g.action > h.action || g.action == h.action && (g.longest > h.longest || g.longest == h.longest && g.score > h.score) {
		h.label, h.action, h.longest, h.score = g.label, g.action, g.longest, g.score
	}
}

// before gives the hits that begin before clear; they are in order.
func before(hits []hit, clear int) []hit {
	for k := range hits {
		if hits[k].start >= clear {
			return hits[:k]
		}
	}
	return hits
}

// settled is where the text ends in which every match is known.
func (s *Stage) settled(text string, sent int) int {
	m := &s.v.Manifest
	clear := max(sent, len(text)-m.MaxMatch)
	if m.Token {
		for k := len(text); k > clear; k-- {
			if isSpace(text[k-1]) {
				clear = k
				break
			}
		}
	}
	if p := openPlaceholder(text); p >= 0 && p < clear {
		clear = max(sent, p)
	}
	for clear > sent && clear < len(text) && !utf8.RuneStart(text[clear]) {
		clear--
	}
	return clear
}

// pieceBytes is the longest text that a guest is given at once. Longer ones are
// cut the way a stream is, so that a prompt of many megabytes fits into a
// guest's memory.
const pieceBytes = 64 << 10

// lookAll asks the guest about the whole text of the run, of any length, and
// takes the hits of each piece.
func (c *check) lookAll(flags uint32) error {
	text := c.run.Text
	base, sent := 0, 0
	for {
		end, last := len(text), true
		if limit := base + sent + pieceBytes; limit < len(text) {
			end, last = limit, false
			for end > base+sent && !utf8.RuneStart(text[end]) {
				end--
			}
		}
		f := flags
		if base > 0 {
			f |= abi.DetectBefore
		}
		hits, clear, err := c.s.look(c.inst, text[base:end], f, sent, last)
		if err != nil {
			return err
		}
		if len(hits) > 0 && !c.take(hits, base) || last {
			return nil
		}
		next := max(0, base+clear-contextBytes)
		for next > 0 && !utf8.RuneStart(text[next]) {
			next--
		}
		sent, base = base+clear-next, next
	}
}
