package match

import (
	"encoding/binary"
	"math/bits"
)

// A prefilter finds the places of a text at which a literal may begin, 32 at once. The literals are in eight groups. For each of
// the first three bytes of a literal it has two tables: by the lower and by the upper half of a byte, the groups, as bits, that have a
// literal with such a half there. A group remains for a place if it is in all six entries, so a group also lets
// combinations of its literals pass; the sieve then decides. The method is that of Teddy, a part of the Hyperscan library.
type prefilter [3][2]halfTable

// A halfTable has the groups that accept each half of a byte.
type halfTable [16]uint8

// add adds a group that accepts some halves.
func (t *halfTable) add(halves uint16, group int) {
	for ; halves != 0; halves &= halves - 1 {
		t[bits.TrailingZeros16(halves)] |= 1 << group
	}
}

const (
	prefilterGroups = 8
	prefilterPlaces = 32 // of a block
	prefilterBehind = 3  // bytes that must follow a block
)

// A halfSet has the halves of the bytes at one place of the literals of a group, as bits.
type halfSet struct{ low, high uint16 }

// add adds some bytes.
func (h *halfSet) add(bytes []byte) {
	for _, c := range bytes {
		h.low |= 1 << (c & 15)
		h.high |= 1 << (c >> 4)
	}
}

// estimateShare returns the share of the bytes of ordinary text that the set accepts.
func (h halfSet) estimateShare() (share float64) {
	for high := h.high; high != 0; high &= high - 1 {
		row := &commonBytes[bits.TrailingZeros16(high)]
		for low := h.low; low != 0; low &= low - 1 {
			share += row[bits.TrailingZeros16(low)]
		}
	}
	return share
}

// newPrefilter returns the prefilter of literals that have a sieve. A scan for the key prefixes of the guardrail takes a third of the
// time that it takes with the sieve alone, one for its phrases, for which the tables let 29 % of the places of prose pass, two thirds.
func (a *Automaton) newPrefilter(literals []string) *prefilter {
	f := new(prefilter)
	for k, g := range joinGroups(a.listPrefixes(literals)) {
		for place, h := range g.at {
			f[place][0].add(h.low, k)
			f[place][1].add(h.high, k)
		}
	}
	return f
}

// A prefixGroup is what the literals of a group have at their first three places.
type prefixGroup struct {
	at    [3]halfSet
	share float64 // of the places of ordinary text that pass

	partner int     // the group that it is best joined with, among those behind it
	cost    float64 // by how much that raises the sum of shares
}

// listPrefixes returns a group for the literals of each different first two bytes.
func (a *Automaton) listPrefixes(literals []string) (groups []prefixGroup) {
	members, known := a.listMembers(), map[string]int{}
	for _, l := range literals {
		k, ok := known[l[:2]]
		if !ok {
			k = len(groups)
			known[l[:2]], groups = k, append(groups, prefixGroup{})
		}
		third := every
		if len(l) > 2 {
			third = members[a.class[l[2]]]
		}
		at := &groups[k].at
		at[0].add(members[a.class[l[0]]])
		at[1].add(members[a.class[l[1]]])
		at[2].add(third)
	}
	for k := range groups {
		groups[k].measure()
	}
	return groups
}

func (g *prefixGroup) measure() {
	g.share = g.at[0].estimateShare() * g.at[1].estimateShare() * g.at[2].estimateShare()
}

// join returns the group that accepts what two groups accept.
func (g *prefixGroup) join(other *prefixGroup) prefixGroup {
	joined := *g
	for place := range joined.at {
		joined.at[place].low |= other.at[place].low
		joined.at[place].high |= other.at[place].high
	}
	joined.measure()
	return joined
}

// joinGroups joins groups, two by two, until there are few enough: always those two that then accept the least beyond what they did.
func joinGroups(groups []prefixGroup) []prefixGroup {
	choosePartner := func(i int) {
		g := &groups[i]
		g.partner = -1
		for k := i + 1; k < len(groups); k++ {
			joined := g.join(&groups[k])
			if cost := joined.share - g.share - groups[k].share; g.partner < 0 || cost < g.cost {
				g.partner, g.cost = k, cost
			}
		}
	}
	for i := range groups {
		choosePartner(i)
	}
	for len(groups) > prefilterGroups {
		first := 0
		for i := range groups[:len(groups)-1] {
			if groups[i].cost < groups[first].cost {
				first = i
			}
		}
		second, last := groups[first].partner, len(groups)-1
		groups[first] = groups[first].join(&groups[second])
		groups[second] = groups[last]
		groups = groups[:last]
		for i := range groups {
			if p := groups[i].partner; i == first || i == second || p == first || p == second || p >= last {
				choosePartner(i)
			}
		}
	}
	return groups
}

// commonBytes has the share of each byte in ordinary text, by its halves: letters as in English prose, with fewer spaces and more
// digits and signs, as in code. It only weighs groups against each other, so rough figures do.
var commonBytes = func() (t [16][16]float64) {
	for _, c := range []struct {
		bytes string
		share float64 // of each
	}{
		{" ", .14},
		{"e", .09},
		{"taoinsr", .055},
		{"hdlcu", .03},
		{"mfpgwybv", .015},
		{"kxqjz", .004},
		{"\n\t", .02},
		{".,", .01},
		{"0123456789", .005},
		{"-_:;\"'()/=", .005},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", .001},
	} {
		for _, b := range []byte(c.bytes) {
			t[b>>4][b&15] = c.share
		}
	}
	return t
}()

// appendFiltered is appendSieved with a prefilter, for all of a text but its end. It returns where that begins.
func (a *Automaton) appendFiltered(dst []Hit, text []byte) (out []Hit, rest int) {
	var starts [16]uint32
	at, end := 0, 0 // no literal begins before at that is not in dst; where the blocks end that were read
	for {
		blocks := min((len(text)-end-prefilterBehind)/prefilterPlaces, len(starts))
		if blocks <= 0 {
			return dst, max(at, end)
		}
		markStarts(&starts[0], &text[end], blocks, a.prefilter)
		for _, bitsOfBlock := range starts[:blocks] {
			for m := bitsOfBlock; m != 0; m &= m - 1 {
				i := end + bits.TrailingZeros32(m)
				if i >= at && a.sieve.findHeld(uint64(binary.LittleEndian.Uint32(text[i:]))) != 0 {
					dst, at = a.follow(dst, text, i)
				}
			}
			end += prefilterPlaces
		}
	}
}
