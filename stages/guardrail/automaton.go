package guardrail

import "slices"

// automaton finds any number of literals in one pass (Aho-Corasick). The states
// near the root, in which a scan spends its time, have full rows of transitions;
// the rest keep only the edges they have, so that long lists stay small.
type automaton struct {
	class   [256]uint8
	classes int
	dense   []int32 // transitions of the first states: state*classes + class
	nDense  int32
	first   []int32 // of the other states: where their edges begin
	edge    []uint8
	to      []int32
	fail    []int32
	out     []int32 // a literal that ends here, or -1
	also    []int32 // the next state, by suffix, where one ends, or 0
	same    []int32 // the next literal with the very same letters, or -1
	length  []int32
}

// hit is one literal found: its number and where it stands.
type hit struct {
	literal    int32
	start, end int32
}

// maxDense bounds the memory of the full rows.
const maxDense = 1 << 18

// newAutomaton makes the automaton of some literals, none of them empty. Spaces
// stand for any white space.
func newAutomaton(literals []string) *automaton {
	a := &automaton{classes: 1}
	for _, l := range literals {
		for i := range len(l) {
			if c := l[i]; a.class[c] == 0 {
				a.class[c] = uint8(min(a.classes, 255))
				a.classes++
			}
		}
	}
	for _, c := range "\n\t\r" {
		if a.class[c] == 0 {
			a.class[c] = a.class[' ']
		}
	}
	type node struct {
		edges []uint8
		to    []int32
		out   int32
	}
	nodes := []node{{out: -1}}
	a.same = make([]int32, len(literals))
	for n, l := range literals {
		at := int32(0)
		for i := range len(l) {
			c := a.class[l[i]]
			k := slices.Index(nodes[at].edges, c)
			if k < 0 {
				nodes = append(nodes, node{out: -1})
				k = len(nodes[at].edges)
				nodes[at].edges, nodes[at].to = append(nodes[at].edges, c), append(nodes[at].to, int32(len(nodes)-1))
			}
			at = nodes[at].to[k]
		}
		a.same[n], nodes[at].out = nodes[at].out, int32(n)
		a.length = append(a.length, int32(len(l)))
	}
	// Number the states by their depth.
	order, number := []int32{0}, make([]int32, len(nodes))
	for i := 0; i < len(order); i++ {
		number[order[i]] = int32(i)
		order = append(order, nodes[order[i]].to...)
	}
	n := len(nodes)
	a.fail, a.out, a.also = make([]int32, n), make([]int32, n), make([]int32, n)
	a.first = make([]int32, n+1)
	for i, old := range order {
		a.first[i] = int32(len(a.edge))
		a.edge = append(a.edge, nodes[old].edges...)
		for _, t := range nodes[old].to {
			a.to = append(a.to, number[t])
		}
		a.out[i] = nodes[old].out
	}
	a.first[n] = int32(len(a.edge))
	a.nDense = int32(min(n, max(1, maxDense/a.classes)))
	a.dense = make([]int32, int(a.nDense)*a.classes)
	for s := range int32(n) {
		if s < a.nDense && s > 0 {
			copy(a.dense[int(s)*a.classes:], a.dense[int(a.fail[s])*a.classes:][:a.classes])
		}
		for k := a.first[s]; k < a.first[s+1]; k++ {
			t, f := a.to[k], int32(0)
			if s > 0 {
				f = a.goTo(a.fail[s], a.edge[k])
			}
			a.fail[t] = f
			if a.out[f] >= 0 {
				a.also[t] = f
			} else {
				a.also[t] = a.also[f]
			}
		}
		if s < a.nDense {
			for k := a.first[s]; k < a.first[s+1]; k++ {
				a.dense[int(s)*a.classes+int(a.edge[k])] = a.to[k]
			}
		}
	}
	a.pack()
	return a
}

// goTo gives the state after one more byte of a class. The rows of the states down to
// it must be filled.
func (a *automaton) goTo(s int32, c uint8) int32 {
	for s >= a.nDense {
		for k := a.first[s]; k < a.first[s+1]; k++ {
			if a.edge[k] == c {
				return a.to[k]
			}
		}
		s = a.fail[s]
	}
	return a.dense[int(s)*a.classes+int(c)]
}

// pack turns the states in the rows into what a scan reads: the row of the next
// state and, in the lowest bit, whether a literal ends there; states without a row
// as negative numbers.
func (a *automaton) pack() {
	for i, t := range a.dense {
		switch {
		case t >= a.nDense:
			a.dense[i] = -t
		case a.out[t] >= 0 || a.also[t] > 0:
			a.dense[i] = t*int32(a.classes)<<1 | 1
		default:
			a.dense[i] = t * int32(a.classes) << 1
		}
	}
}

// scan appends all places where a literal stands, by their ends.
func (a *automaton) scan(dst []hit, text []byte) []hit {
	row := int32(0)
	for i := 0; i < len(text); i++ {
		next := a.dense[row+int32(a.class[text[i]])]
		if next >= 0 {
			if row = next >> 1; next&1 != 0 {
				dst = a.collect(dst, row/int32(a.classes), int32(i+1))
			}
			continue
		}
		for s := -next; ; { // among states without a row, until one with a row follows
			if a.out[s] >= 0 || a.also[s] > 0 {
				dst = a.collect(dst, s, int32(i+1))
			}
			if i++; i == len(text) {
				return dst
			}
			c := a.class[text[i]]
			if s = a.deep(s, c); s < 0 {
				row = ^s
				if t := row / int32(a.classes); a.out[t] >= 0 || a.also[t] > 0 {
					dst = a.collect(dst, t, int32(i+1))
				}
				break
			}
		}
	}
	return dst
}

// deep gives the state without a row after one more byte, or the complement of the
// row that the scan goes on with.
func (a *automaton) deep(s int32, c uint8) int32 {
	for s >= a.nDense {
		for k := a.first[s]; k < a.first[s+1]; k++ {
			if a.edge[k] == c {
				if t := a.to[k]; t >= a.nDense {
					return t
				}
				return ^(a.to[k] * int32(a.classes))
			}
		}
		s = a.fail[s]
	}
	next := a.dense[int(s)*a.classes+int(c)]
	if next < 0 {
		return -next
	}
	return ^(next >> 1)
}

func (a *automaton) collect(dst []hit, s, end int32) []hit {
	for {
		for l := a.out[s]; l >= 0; l = a.same[l] {
			dst = append(dst, hit{l, end - a.length[l], end})
		}
		if s = a.also[s]; s == 0 {
			return dst
		}
	}
}
