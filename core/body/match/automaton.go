// Package match compares text with patterns: an Automaton finds any number of literals in one
// pass over a text (Aho-Corasick), Glob compares names with * and ?.
package match

import "slices"

// An Automaton finds the literals that it was built for. The states near the root, in
// which a scan spends its time, have full rows of transitions; the others keep only the
// edges they have, so that long lists stay small. It is immutable and safe for concurrent
// use.
type Automaton struct {
	class   [256]uint8
	classes int
	dense   []int32 // transitions of the first states: state*classes + class, see pack
	nDense  int32
	first   []int32 // where the edges of a state begin
	edge    []uint8
	to      []int32
	fail    []int32
	depth   []int32 // bytes from the root
	out     []int32 // a literal that ends here, or -1
	also    []int32 // the next state, by suffix, where one ends, or 0
	same    []int32 // the next literal with the very same letters, or -1
	length  []int32
	sieve   *sieve // optional; only if all states have rows

	prefilter *prefilter // optional; only with a sieve
}

// A Hit is one literal found: its number in the list given to New and where it stands.
type Hit struct {
	Literal    int32
	Start, End int32
}

// Options say which bytes count as the same.
type Options struct {
	FoldCase  bool // ASCII letters match in either case
	AnySpaces bool // a space in a literal matches a tab, '\n' or '\r' too
}

// maxDense bounds the memory of the full rows.
var maxDense = 1 << 18 // a variable for tests

// New builds the automaton of some literals, none of them empty.
func New(literals []string, o Options) *Automaton {
	a := &Automaton{classes: 1}
	a.classify(literals, o)
	a.numberNodes(a.buildTree(literals))
	a.linkFailures()
	a.pack()
	if int(a.nDense) == len(a.out) {
		a.sieve = a.newSieve(literals)
	}
	if a.sieve != nil {
		a.prefilter = a.newPrefilter(literals)
	}
	return a
}

// classify gives every byte of the literals a class, so that rows are short.
func (a *Automaton) classify(literals []string, o Options) {
	for _, l := range literals {
		for i := range len(l) {
			c := l[i]
			if a.class[c] != 0 {
				continue
			}
			k := uint8(min(a.classes, 255))
			a.classes++
			a.class[c] = k
			if o.FoldCase && (c|0x20 >= 'a' && c|0x20 <= 'z') {
				a.class[c^0x20] = k
			}
		}
	}
	if !o.AnySpaces {
		return
	}
	for _, c := range "\n\t\r" {
		if a.class[c] == 0 {
			a.class[c] = a.class[' ']
		}
	}
}

// A node is a state of the tree of all literals.
type node struct {
	edges []uint8
	to    []int32
	out   int32
}

// buildTree makes the tree of the literals.
func (a *Automaton) buildTree(literals []string) []node {
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
	return nodes
}

// numberNodes numbers the states by their depth and stores their edges.
func (a *Automaton) numberNodes(nodes []node) {
	order, number := []int32{0}, make([]int32, len(nodes))
	for i := 0; i < len(order); i++ {
		number[order[i]] = int32(i)
		order = append(order, nodes[order[i]].to...)
	}
	n := len(nodes)
	a.fail, a.out, a.also, a.depth = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	a.first = make([]int32, n+1)
	for i, old := range order {
		a.first[i] = int32(len(a.edge))
		a.edge = append(a.edge, nodes[old].edges...)
		for _, t := range nodes[old].to {
			a.to = append(a.to, number[t])
			a.depth[number[t]] = a.depth[i] + 1
		}
		a.out[i] = nodes[old].out
	}
	a.first[n] = int32(len(a.edge))
}

// linkFailures fills the full rows and the links to the longest suffix of each state.
func (a *Automaton) linkFailures() {
	n := len(a.out)
	a.nDense = int32(min(n, max(1, maxDense/a.classes)))
	a.dense = make([]int32, int(a.nDense)*a.classes)
	for s := range int32(n) {
		if s < a.nDense && s > 0 {
			copy(a.dense[int(s)*a.classes:], a.dense[int(a.fail[s])*a.classes:][:a.classes])
		}
		for k := a.first[s]; k < a.first[s+1]; k++ {
			t, f := a.to[k], int32(0)
			if s > 0 {
				f = a.step(a.fail[s], a.edge[k])
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
}

// step returns the state after one more byte of a class, before pack. The rows of the states down to
// it must be filled.
func (a *Automaton) step(s int32, c uint8) int32 {
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
func (a *Automaton) pack() {
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
