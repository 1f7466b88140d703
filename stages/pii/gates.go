package pii

// A gate says what must stand at a number for a rule to answer anything. The
// rules ask the same, so a gate changes no result: it saves calls. Types without
// one are always asked.
type gate struct {
	// first is how many digits the first group must have, from and to. It does
	// not hold near the end of the text when the rule notes how far it looked
	// before it asks: then noting is set.
	first  [2]int
	noting bool
	// groups is how many groups there must be at least.
	groups int
	// not has the bytes that may not stand before; word is for letters, digits
	// and '_' too, letter for all but letters.
	not          string
	word, letter bool
	// joined is for values of letters and digits: a letter must touch the first
	// group, or it has joinedDigits.
	joined bool
	// behind has the bytes that may stand behind the first group, and letters
	// when letterBehind is set; "" is for all bytes. It does not hold near the
	// end of the text.
	behind       string
	letterBehind bool
}

// joinedDigits is how many digits alone may be a value of letters and digits.
const joinedDigits = 26

var gates = map[string]gate{
	"CREDIT_CARD":    {first: [2]int{1, 19}, word: true},
	"US_SSN":         {first: [2]int{3, 9}, word: true, not: ".+"},
	"IBAN":           {first: [2]int{2, groupDigits}, letter: true},
	"IP_ADDRESS":     {first: [2]int{1, 3}, groups: 4, behind: "."},
	"PHONE":          {word: true, not: ".-#$"},
	"API_KEY":        {joined: true},
	"CRYPTO_ADDRESS": {joined: true},
	"CARD_CVV":       {first: [2]int{3, 4}, word: true, not: ".-+$#"},
	"CARD_EXPIRY":    {first: [2]int{1, 2}, groups: 2, word: true, not: ".-+$#", behind: "/-"},
	"LAT_LONG":       {word: true, not: ".", first: [2]int{1, 3}, behind: ".", noting: true},
	"DATE_OF_BIRTH":  {word: true, not: ".-+$#", first: [2]int{1, 4}, behind: " ./-,", letterBehind: true, noting: true},
	"HK_ID":          {first: [2]int{6, 7}, joined: true, noting: true},
	"AGE":            {first: [2]int{1, 3}, word: true, not: ".-+$#/,:"},
	"STREET_ADDRESS": {first: [2]int{1, 5}, word: true, not: ".-+$#/,", behind: " ", letterBehind: true},
}

// A rule is a type at one trigger, as the scanner asks it.
type rule struct {
	find func(s *scan, at int) (from, to int, score float32)
	d    *detector
}

// totalMax is the largest number of digits that a row of types may ask for.
const totalMax = 16

// numberGates has for everything that a gate looks at the rules that it lets
// pass, as bits of their places among those for numbers.
type numberGates struct {
	total  [totalMax + 1]uint32
	first  [64]uint32
	groups [5]uint32
	before [256]uint32
	behind [256]uint32
	single uint32 // the rules that need no joined letter
	noting uint32
}

// add takes in the rule at place k.
func (n *numberGates) add(k int, d *detector) {
	bit := uint32(1) << k
	g := gates[d.name]
	set := func(to *uint32, ok bool) {
		if ok {
			*to |= bit
		}
	}
	for i := range n.total {
		set(&n.total[i], i >= d.digits)
	}
	for i := range n.first {
		set(&n.first[i], g.first[1] == 0 || i >= g.first[0] && i <= g.first[1])
	}
	for i := range n.groups {
		set(&n.groups[i], i >= g.groups)
	}
	for i := range n.before {
		c := byte(i)
		set(&n.before[i], !(within(c, g.not) || g.word && word(c) || g.letter && !letter(c)))
		set(&n.behind[i], g.behind == "" || within(c, g.behind) || g.letterBehind && letter(c))
	}
	set(&n.single, !g.joined)
	set(&n.noting, g.noting)
}

// numberRules answers which rules are to be asked about the number at i, whose
// first group ends at j.
func (s *scan) numberRules(i, j int) uint32 {
	t, g, n := s.v.s, &s.e.numbers, &s.num
	m, first := g.total[min(n.total, totalMax)]&g.groups[min(n.n, len(g.groups)-1)], g.first[(j-i)&63]
	joined := j-i >= joinedDigits
	if i > 0 {
		m &= g.before[t[i-1]]
		joined = joined || letter(t[i-1])
	}
	if len(t)-i >= gateTail {
		m &= g.behind[t[j]] & first
		joined = joined || letter(t[j])
	} else {
		m &= first | g.noting
		joined = true
	}
	if !joined {
		m &= g.single
	}
	return m
}
