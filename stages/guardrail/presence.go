package guardrail

import (
	"math/bits"
	"slices"
)

// presence says for which elements of the rules a text has words at all, and so which rules its windows may fit: a rule needs a word for
// each of its elements, and nearly all rules lack one in nearly all windows. Windows add their words, so that one without a new word costs
// nothing: rules that only an earlier window may fit cost time, and change no result.
type presence struct {
	elements []uint64
	ids      []uint64 // the words of the windows, a bit for each id
	rules    []int32  // that have a word for each element, in order
	allowed  []uint64 // the same, a bit for each rule

	begun   []begunRules // for each id
	begins  []int32      // the rules of all begun
	version uint32       // of rules; begun that have another are unknown
}

// begunRules are the rules that may start with a word, as a part of presence.begins.
type begunRules struct {
	version  uint32
	from, to int32
}

// maxAllowed bounds the rules that earlier windows leave behind: above it, a window starts without them.
const maxAllowed = 48

// reset forgets all windows.
func (p *presence) reset() {
	clear(p.ids)
	clear(p.elements)
	p.rules, p.begins = p.rules[:0], p.begins[:0]
	clear(p.allowed)
	p.version++
}

// add takes in the words of a window, which are named.
func (p *presence) add(l *lexicon, v *view) {
	if p.ids == nil {
		p.ids, p.elements = make([]uint64, len(l.start)/64+1), make([]uint64, l.width)
		p.allowed = make([]uint64, len(l.rules)/64+1)
		p.begun = make([]begunRules, len(l.start))
		p.version = 1
	}
	if len(p.rules) > maxAllowed {
		p.reset()
	}
	fresh := uint64(0)
	for i := range v.words {
		id := int(v.words[i].id)
		if id == 0 || p.ids[id>>6]>>(id&63)&1 != 0 {
			continue
		}
		p.ids[id>>6] |= 1 << (id & 63)
		for _, e := range l.fitting[l.fitsFrom[id]:l.fitsFrom[id+1]] {
			fresh |= ^p.elements[e>>6] & (1 << (e & 63))
			p.elements[e>>6] |= 1 << (e & 63)
		}
	}
	if fresh != 0 {
		p.findRules(l)
	}
}

// findRules looks at the rules whose rarest element the windows have.
func (p *presence) findRules(l *lexicon) {
	n := len(p.rules)
	for w, keys := range l.keys {
		for m := keys & p.elements[w]; m != 0; m &= m - 1 {
			e := w<<6 + bits.TrailingZeros64(m)
			for _, r := range l.byRarest[l.rarestFrom[e]:l.rarestFrom[e+1]] {
				if p.has(r.next) && !p.allows(r.rule) && p.hasAll(l.needed[l.needs[r.rule]:l.needs[r.rule+1]]) {
					p.rules = append(p.rules, r.rule)
					p.allowed[r.rule>>6] |= 1 << (r.rule & 63)
				}
			}
		}
	}
	if len(p.rules) > n {
		slices.Sort(p.rules)
		p.begins = p.begins[:0]
		p.version++
	}
}

// allows reports whether the windows have a word for each element of a rule.
func (p *presence) allows(k int32) bool { return p.allowed[k>>6]>>(k&63)&1 != 0 }

// has reports whether there is a word for an element.
func (p *presence) has(e uint16) bool { return p.elements[e>>6]>>(e&63)&1 != 0 }

func (p *presence) hasAll(elements []uint16) bool {
	for _, e := range elements {
		if !p.has(e) {
			return false
		}
	}
	return true
}

// listStartingRules returns the rules that the windows may fit and that may start with a word, in order. The result is valid
// until the next add.
func (p *presence) listStartingRules(l *lexicon, id uint16) []int32 {
	b := &p.begun[id]
	if b.version != p.version {
		*b = begunRules{version: p.version, from: int32(len(p.begins))}
		if len(p.rules) <= len(l.start[id]) {
			for _, k := range p.rules {
				if l.matches(id, l.rules[k].elements[0].number) {
					p.begins = append(p.begins, k)
				}
			}
		} else {
			for _, k := range l.start[id] {
				if p.allows(k) {
					p.begins = append(p.begins, k)
				}
			}
		}
		b.to = int32(len(p.begins))
	}
	return p.begins[b.from:b.to]
}

// groupByRarest sorts the rules by that of their elements which is least likely to be in a window of ordinary text.
func (l *lexicon) groupByRarest(words []string) {
	likely := make([]int, 64*l.width)
	l.fitsFrom = make([]int32, len(words)+1)
	for id, w := range words {
		weight := 1
		if k := slices.Index(commonWords, w); k >= 0 {
			weight = 10 * (len(commonWords) - k)
		}
		for e := range likely {
			if l.matches(uint16(id), e) {
				likely[e] += weight
				l.fitting = append(l.fitting, uint16(e))
			}
		}
		l.fitsFrom[id+1] = int32(len(l.fitting))
	}
	rules := make([][]rareRule, len(likely))
	for k := range l.rules {
		needed := slices.Clone(l.needed[l.needs[k]:l.needs[k+1]])
		slices.SortFunc(needed, func(a, b uint16) int { return likely[a] - likely[b] })
		rules[needed[0]] = append(rules[needed[0]], rareRule{int32(k), needed[min(1, len(needed)-1)]})
	}
	l.keys, l.rarestFrom = make([]uint64, l.width), make([]int32, len(likely)+1)
	for e, list := range rules {
		if len(list) > 0 {
			l.keys[e>>6] |= 1 << (e & 63)
		}
		l.byRarest = append(l.byRarest, list...)
		l.rarestFrom[e+1] = int32(len(l.byRarest))
	}
}

// rareRule is a rule and its second rarest element.
type rareRule struct {
	rule int32
	next uint16
}

// commonWords are words of the rules that stand in many windows of ordinary English text, the most frequent first. They only decide
// by which element a rule is found.
var commonWords = []string{
	"the", "a", "to", "of", "in", "is", "for", "and", "this", "if", "1", "return", "be", "that", "by", "you", "not", "or", "your",
	"with", "it", "as", "i", "on", "are", "we", "use", "name", "file", "all", "can", "from", "any", "my", "r", "2", "e", "string",
	"go", "type", "an", "will", "no", "have", "but", "do", "new", "which", "when", "should", "has", "may", "must", "at", "these",
	"so", "they", "was", "were", "me", "us", "our", "out", "please", "answer", "message", "write", "text", "code", "data", "only",
	"other", "without", "using", "one", "more", "make", "number", "set", "get", "list", "see", "time", "used", "tell", "give",
	"first", "next", "following", "know", "what", "how", "its", "their", "own", "them", "then", "there", "here", "could", "would",
	"just", "like",
}
