package guardrail

// presence says for which elements of the rules a view has words at all. A rule is
// tried wherever its first element stands, and most lack another one.
type presence struct {
	ids      []uint64 // the words of the view, a bit for each id
	elements []uint64
	rules    []uint8 // what is known of each rule
}

const (
	_ = iota
	canFit
	cannotFit
)

// load takes in the words of a view, which are named.
func (p *presence) load(l *lexicon, v *view) {
	if p.ids == nil {
		p.ids, p.elements = make([]uint64, len(l.start)/64+1), make([]uint64, l.width)
		p.rules = make([]uint8, len(l.rules))
	}
	clear(p.ids)
	clear(p.elements)
	clear(p.rules)
	for i := range v.words {
		id := int(v.words[i].id)
		if id == 0 || p.ids[id>>6]>>(id&63)&1 != 0 {
			continue
		}
		p.ids[id>>6] |= 1 << (id & 63)
		for k, f := range l.fits[id*l.width : (id+1)*l.width] {
			p.elements[k] |= f
		}
	}
}

// allows reports whether there is a word for each element of rule k.
func (p *presence) allows(l *lexicon, k int32) bool {
	if p.rules[k] == 0 {
		p.rules[k] = canFit
		for _, n := range l.needed[l.needs[k]:l.needs[k+1]] {
			if p.elements[n>>6]>>(n&63)&1 == 0 {
				p.rules[k] = cannotFit
				break
			}
		}
	}
	return p.rules[k] == canFit
}
