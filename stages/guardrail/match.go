package guardrail

import (
	"cmp"
	"slices"
)

// found is one rule that a text fits.
type found struct {
	rule       int32
	from, to   int32 // words
	start, end int32 // in norm
	score      float32
}

// nameWords sets the ids of the words of a view, and puts the literals of the lexicon
// among them, each in place of the words that it covers. base is the number of the
// lexicon's first literal in the automaton that made v.hits.
func (l *lexicon) nameWords(v *view, base int32) {
	v.ensureWords()
	l.identify(v, 0)
	l.placeLiterals(v, base)
}

// identify sets the ids of the words of a view, from a word on.
func (l *lexicon) identify(v *view, from int) {
	for i := from; i < len(v.words); i++ {
		v.words[i].id = l.lookUpWord(v, &v.words[i])
	}
}

// placeLiterals puts the literals among the words.
func (l *lexicon) placeLiterals(v *view, base int32) {
	n := len(v.words)
	for _, h := range v.hits {
		k := h.Literal - base
		if k < 0 || int(k) >= len(l.ids) || l.bounded[k] && (!v.isBoundary(int(h.Start)) || !v.isBoundary(int(h.End))) {
			continue
		}
		v.words = append(v.words, word{start: h.Start, end: h.End, id: l.ids[k]})
	}
	if len(v.words) > n {
		v.merge(n)
	}
}

// merge puts the words from n on in their places. Longer ones win.
func (v *view) merge(n int) {
	added := v.words[n:]
	slices.SortFunc(added, func(a, b word) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	keep := added[:0]
	end := int32(-1)
	for _, w := range added {
		if w.start >= end {
			keep = append(keep, w)
			end = w.end
		}
	}
	v.words = v.words[:n+len(keep)]
	for i := range n {
		w := &v.words[i]
		k, _ := slices.BinarySearchFunc(keep, w.start, func(a word, at int32) int { return cmp.Compare(a.end, at+1) })
		if k < len(keep) && keep[k].start < w.end { // covered, wholly or in part
			if keep[k].start <= w.start || keep[k].start < w.end {
				keep[k].stop = keep[k].stop || w.stop
			}
			w.end = -1
		}
	}
	v.words = slices.DeleteFunc(v.words, func(w word) bool { return w.end < 0 })
	slices.SortFunc(v.words, func(a, b word) int { return cmp.Compare(a.start, b.start) })
}

// match appends the rules that a view fits.
func (l *lexicon) match(dst []found, v *view, p *presence) []found {
	if p.add(l, v); len(p.rules) == 0 {
		return dst
	}
	for i := range v.words {
		id := v.words[i].id
		if id == 0 {
			continue
		}
		list := p.listStartingRules(l, id)
		if len(list) == 0 {
			continue
		}
		if !v.pace.spendSteps(len(list)) {
			return dst
		}
		for _, k := range list {
			r := &l.rules[k]
			from, to := i, -1
			if r.within > 0 {
				from, to = l.matchNear(v, r, i)
			} else {
				to = l.matchSequence(v, r.elements[1:], i)
			}
			if to >= 0 {
				dst = append(dst, found{rule: k, from: int32(from), to: int32(to), start: v.words[from].start, end: v.words[to].end, score: r.score})
			}
		}
	}
	return dst
}

// matchSequence reports the word that the last of the elements fits, or -1, when they
// matchSequence after word i.
func (l *lexicon) matchSequence(v *view, els []element, i int) int {
	if len(els) == 0 {
		return i
	}
	e := &els[0]
	for k := i + 1; k <= i+1+e.gap && k < len(v.words); k++ {
		w := &v.words[k]
		if w.stop {
			break
		}
		if w.id != 0 && l.matches(w.id, e.number) {
			if to := l.matchSequence(v, els[1:], k); to >= 0 {
				return to
			}
		}
	}
	return -1
}

// maxApart is how many bytes may lie between the words of a rule without order: a
// script without spaces has few words.
const maxApart = 200

// matchNear finds words near word i that fit the elements of a rule
// in any order, each with a different word; in one sentence, unless the rule says otherwise.
func (l *lexicon) matchNear(v *view, r *rule, i int) (from, to int) {
	lo, hi := i, i
	for lo > 0 && i-lo < r.within && (r.across || !v.words[lo].stop) {
		lo--
	}
	for hi+1 < len(v.words) && hi-i < r.within && (r.across || !v.words[hi+1].stop) {
		hi++
	}
	from, to = i, i
	used := [8]int{i}
	n := 1
	for _, e := range r.elements[1:] {
		best := -1
		for k := lo; k <= hi; k++ {
			w := &v.words[k]
			if w.id == 0 || !l.matches(w.id, e.number) || slices.Contains(used[:n], k) || max(to, k)-min(from, k) > r.within ||
				w.start-v.words[i].end > maxApart ||
				v.words[i].start-w.end > maxApart {
				continue
			}
			if best < 0 || max(k-i, i-k) < max(best-i, i-best) {
				best = k
			}
		}
		if best < 0 {
			return 0, -1
		}
		used[n] = best
		n++
		from, to = min(from, best), max(to, best)
	}
	return from, to
}
