package conflict

import (
	"encoding/binary"
)

// product runs the patterns of all sets in parallel, as automata whose states are positions in the patterns.
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

// close adds the positions after stars, which may match nothing.
func (p *product) close(state []uint64) {
	for i, c := range p.patterns {
		if c == '*' && state[i/64]&(1<<(i%64)) != 0 {
			state[(i+1)/64] |= 1 << ((i + 1) % 64)
		}
	}
}

func (p *product) buildStartState() []uint64 {
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

// searchSets finds the shortest common text.
func searchSets(sets []texts) (string, found) {
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
	queue, seen := []node{{p.buildStartState(), ""}}, map[string]bool{}
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
