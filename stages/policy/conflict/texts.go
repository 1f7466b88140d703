package conflict

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// texts is a set of texts: those that fit one of the patterns, or none.
type texts struct {
	globs  []dsl.Glob
	within bool
}

func exactly(s string) texts { return texts{[]dsl.Glob{dsl.NewGlob(s)}, true} }

func (t texts) not() texts { return texts{t.globs, !t.within} }

func (t texts) has(s string) bool {
	for i := range t.globs {
		if t.globs[i].Match(s) {
			return t.within
		}
	}
	return !t.within
}

// Bounds of the search for a common text. Beyond them, sets count as
// overlapping, and as not covered.
const (
	maxPattern = 8 << 10 // bytes of all patterns
	maxStates  = 20_000
)

// found is the answer of a search.
type found uint8

const (
	none found = iota
	some
	unsure
)

// common finds a text in all sets.
func common(sets []texts) (string, found) {
	for _, s := range sets { // where a set lists its texts, they are tried
		if !s.within || slices.ContainsFunc(s.globs, func(g dsl.Glob) bool { return !g.Exact() }) {
			continue
		}
		for _, g := range s.globs {
			if !slices.ContainsFunc(sets, func(o texts) bool { return !o.has(g.Text) }) {
				return g.Text, some
			}
		}
		return "", none
	}
	if apart(sets) || emptied(sets) {
		return "", none
	}
	if text, ok := guess(sets); ok {
		return text, some
	}
	return search(sets)
}

// fillings are what wildcards are tried with.
var fillings = [...]*strings.Replacer{
	strings.NewReplacer("*", "", "?", "x"), strings.NewReplacer("*", "x", "?", "x"), strings.NewReplacer("*", "~0", "?", "x"),
}

// guess tries texts that fit a pattern: most sets that overlap share one of them.
func guess(sets []texts) (string, bool) {
	for _, s := range sets {
		if !s.within {
			continue
		}
		for _, g := range s.globs {
			for _, fill := range fillings {
				text := fill.Replace(g.Text)
				if !slices.ContainsFunc(sets, func(o texts) bool { return !o.has(text) }) {
					return text, true
				}
			}
		}
	}
	return "", false
}

// apart reports two sets of which every two patterns begin or end differently.
func apart(sets []texts) bool {
	for i, a := range sets {
		for _, b := range sets[i+1:] {
			if a.within && b.within && !slices.ContainsFunc(a.globs, func(g dsl.Glob) bool {
				return slices.ContainsFunc(b.globs, func(h dsl.Glob) bool { return meetable(g.Text, h.Text) })
			}) {
				return true
			}
		}
	}
	return false
}

// emptied reports a set whose every pattern another one takes out.
func emptied(sets []texts) bool {
	for _, a := range sets {
		for _, b := range sets {
			if a.within && !b.within && !slices.ContainsFunc(a.globs, func(g dsl.Glob) bool { return !slices.Contains(b.globs, g) }) {
				return true
			}
		}
	}
	return false
}

// meetable reports whether what stands before the first wildcards, and behind the
// last ones, can be of one text.
func meetable(a, b string) bool {
	p, q := literal(a), literal(b)
	if !strings.HasPrefix(p, q) && !strings.HasPrefix(q, p) {
		return false
	}
	p, q = a[strings.LastIndexAny(a, "*?")+1:], b[strings.LastIndexAny(b, "*?")+1:]
	return strings.HasSuffix(p, q) || strings.HasSuffix(q, p)
}

// literal is what stands before the first wildcard.
func literal(pattern string) string {
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		return pattern[:i]
	}
	return pattern
}

// product runs the patterns of all sets side by side, as automata whose states
// are positions in the patterns.
type product struct {
	patterns []byte // of all sets, each ended by 0
	ends     [][]int
	sets     []texts
	letters  []byte
}

func newProduct(sets []texts) *product {
	p := &product{sets: sets}
	seen := [256]bool{}
	for _, s := range sets {
		var ends []int
		for _, g := range s.globs {
			for _, c := range []byte(g.Text) {
				if c != '*' && c != '?' && !seen[c] {
					seen[c] = true
					p.letters = append(p.letters, c)
				}
			}
			p.patterns = append(append(p.patterns, g.Text...), 0)
			ends = append(ends, len(p.patterns)-1)
		}
		p.ends = append(p.ends, ends)
	}
	for _, other := range []byte("x0abcdefghijklmnopqrstuvwyz123456789_-.") { // any one letter that no pattern has
		if !seen[other] {
			p.letters = append(p.letters, other)
			break
		}
	}
	return p
}

// close adds the positions behind stars, which may stand for nothing.
func (p *product) close(state []uint64) {
	for i, c := range p.patterns {
		if c == '*' && state[i/64]&(1<<(i%64)) != 0 {
			state[(i+1)/64] |= 1 << ((i + 1) % 64)
		}
	}
}

func (p *product) start() []uint64 {
	state := make([]uint64, len(p.patterns)/64+1)
	begin := true
	for i, c := range p.patterns {
		if begin {
			state[i/64] |= 1 << (i % 64)
		}
		begin = c == 0
	}
	p.close(state)
	return state
}

func (p *product) step(state []uint64, letter byte) []uint64 {
	next := make([]uint64, len(state))
	for i, c := range p.patterns {
		if state[i/64]&(1<<(i%64)) == 0 {
			continue
		}
		switch c {
		case 0:
		case '*':
			next[i/64] |= 1 << (i % 64)
		case '?', letter:
			next[(i+1)/64] |= 1 << ((i + 1) % 64)
		}
	}
	p.close(next)
	return next
}

// accepts reports whether the text that led to the state is in all sets.
func (p *product) accepts(state []uint64) bool {
	for i, s := range p.sets {
		in := false
		for _, e := range p.ends[i] {
			in = in || state[e/64]&(1<<(e%64)) != 0
		}
		if in != s.within {
			return false
		}
	}
	return true
}

// search finds the shortest common text.
func search(sets []texts) (string, found) {
	p := newProduct(sets)
	if len(p.patterns) > maxPattern {
		return "", unsure
	}
	type node struct {
		state []uint64
		text  string
	}
	key := func(state []uint64) string {
		b := make([]byte, 0, len(state)*8)
		for _, w := range state {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return string(b)
	}
	queue, seen := []node{{p.start(), ""}}, map[string]bool{}
	seen[key(queue[0].state)] = true
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if p.accepts(n.state) {
			return n.text, some
		}
		for _, c := range p.letters {
			next := p.step(n.state, c)
			if k := key(next); !seen[k] {
				seen[k] = true
				queue = append(queue, node{next, n.text + string(c)})
			}
		}
		if len(seen) > maxStates {
			return "", unsure
		}
	}
	return "", none
}
