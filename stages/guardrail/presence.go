package guardrail

import (
	"math/bits"
	"slices"
)

// presence says for which elements of the rules a view has words at all, and so which rules it may fit: a rule needs a word for each
// of its elements, and nearly all rules lack one in nearly all windows.
type presence struct {
	elements []uint64
	ids      []uint64 // the words of the view, a bit for each id
	rules    []int32  // that have a word for each element, in order
	allowed  []uint64 // the same, a bit for each rule
}

// load takes in the words of a view, which are named.
func (p *presence) load(l *lexicon, v *view) {
	if p.ids == nil {
		p.ids, p.elements = make([]uint64, len(l.start)/64+1), make([]uint64, l.width)
		p.allowed = make([]uint64, len(l.rules)/64+1)
	}
	clear(p.ids)
	clear(p.elements)
	for i := range v.words {
		id := int(v.words[i].id)
		if id == 0 || p.ids[id>>6]>>(id&63)&1 != 0 {
			continue
		}
		p.ids[id>>6] |= 1 << (id & 63)
		for _, e := range l.fitting[l.fitsFrom[id]:l.fitsFrom[id+1]] {
			p.elements[e>>6] |= 1 << (e & 63)
		}
	}
	p.findRules(l)
}

// findRules looks at the rules whose rarest element the view has.
func (p *presence) findRules(l *lexicon) {
	for _, k := range p.rules {
		p.allowed[k>>6] = 0
	}
	p.rules = p.rules[:0]
	for w, keys := range l.keys {
		for m := keys & p.elements[w]; m != 0; m &= m - 1 {
			e := w<<6 + bits.TrailingZeros64(m)
			for _, r := range l.byRarest[l.rarestFrom[e]:l.rarestFrom[e+1]] {
				if p.has(r.next) && p.hasAll(l.needed[l.needs[r.rule]:l.needs[r.rule+1]]) {
					p.rules = append(p.rules, r.rule)
					p.allowed[r.rule>>6] |= 1 << (r.rule & 63)
				}
			}
		}
	}
	slices.Sort(p.rules)
}

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

// startingRules returns candidates for the rules that the view may fit and that start with a word, in order. Check each with begins.
func (p *presence) startingRules(l *lexicon, id uint16) []int32 {
	if len(p.rules) <= len(l.start[id]) {
		return p.rules
	}
	return l.start[id]
}

// begins reports whether the view may fit rule k, and whether it can start with a word.
func (p *presence) begins(l *lexicon, k int32, id uint16) bool {
	return p.allowed[k>>6]>>(k&63)&1 != 0 && l.matches(id, l.rules[k].elements[0].number)
}

// findRarest sorts the rules by that of their elements which is least likely to be in a window of ordinary text.
func (l *lexicon) findRarest(words []string) {
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
