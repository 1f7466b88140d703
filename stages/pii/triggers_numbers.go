package pii

// joinedDigits is the minimum of digits that alone may be a value of letters and digits.
const joinedDigits = 26

// gateTail is how close to the end of the text a numberForm with early set always holds, because the type must run to
// record how far it looked.
const gateTail = 64

// totalMax is the largest number of digits that a numberForm may require.
const totalMax = 16

// A numberTable has the triggers at digits. For everything that a trigger checks, it has the rules that can hold, as bits
// of their index in list.
type numberTable struct {
	list   []rule
	total  [totalMax + 1]uint32
	first  [64]uint32
	groups [5]uint32
	before [256]uint32
	behind [256]uint32
	single uint32 // the rules that need no joined letter
	early  uint32
	// country has the rules for numbers behind a country and a space.
	country uint32
}

// numbersMax is the number of bits for triggers in the masks.
const numbersMax = 32

// add appends the trigger tr of d.
func (n *numberTable) add(d *detector, tr *trigger) {
	bit, form := uint32(1)<<len(n.list), tr.number
	find := d.find
	if tr.find != nil {
		find = tr.find
	}
	n.list = append(n.list, rule{find, d})
	set := func(to *uint32, ok bool) {
		if ok {
			*to |= bit
		}
	}
	for i := range n.total {
		set(&n.total[i], i >= form.digits)
	}
	for i := range n.first {
		set(&n.first[i], form.first[1] == 0 || i >= form.first[0] && i <= form.first[1])
	}
	for i := range n.groups {
		set(&n.groups[i], i >= form.groups)
	}
	for i := range n.before {
		set(&n.before[i], tr.before.has(byte(i)))
		set(&n.behind[i], tr.behind.has(byte(i)))
	}
	set(&n.single, !form.joined)
	set(&n.early, form.early)
	set(&n.country, form.country)
}

// findNumberRules returns the rules whose triggers hold at the number at i, whose first
// group ends at j.
func (s *scan) findNumberRules(i, j int) uint32 {
	t, g, n := s.v.s, &s.e.numbers, &s.num
	m, first := g.total[min(n.total, totalMax)]&g.groups[min(n.n, len(g.groups)-1)], g.first[(j-i)&63]
	joined := j-i >= joinedDigits
	if i > 0 {
		m &= g.before[t[i-1]]
		joined = joined || isLetterByte(t[i-1])
	}
	if len(t)-i >= gateTail {
		m &= g.behind[t[j]] & first
		joined = joined || isLetterByte(t[j])
	} else {
		m &= first | g.early
		joined = true
	}
	if !joined {
		m &= g.single
	}
	return m
}
