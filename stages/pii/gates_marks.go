package pii

import "slices"

// gateTail is how far from the end of the text some gates hold no more: nearer,
// a rule may have to note that it looked beyond the end.
const gateTail = 64

// A markGate says what must stand at a mark, before it and behind it, for a
// rule to answer anything: bytes, and classes of bytes. Nothing written lets all
// pass. At a ':' one of the two sides will do, elsewhere both are needed.
type markGate struct {
	at             string
	before, behind side
	never          string // bytes of which none may stand behind, for a rule at a ':'
	// names are what keyed must read for the rule: see mark, which knows where
	// API_KEY looks at more than a name.
	names []nameKind
}

// A side is a set of bytes; the zero value has all.
type side struct {
	bytes   string
	classes uint8
	also    *[256]bool // more bytes
	not     bool       // none of them
}

func (s side) open() bool { return s.bytes == "" && s.classes == 0 }

func (s side) has(c byte) bool {
	return s.open() || s.also != nil && s.also[c] || (within(c, s.bytes) || class[c]&s.classes != 0) != s.not
}

// nameOfPlain is the gate of addresses with a bare "at", which EMAIL looks for at
// a '.', '_' or '-' when the scanner stops there for other types.
const nameOfPlain = "EMAIL at"

// markGates are by trigger and type. Types without one are always asked.
var markGates = [triggers]map[string]markGate{
	onColon: {
		"IP_ADDRESS":      {before: side{classes: isHex}, behind: side{bytes: ":"}},
		"MAC_ADDRESS":     {before: side{classes: isHex}},
		"URL_CREDENTIALS": {before: side{bytes: "_.-+", classes: isLetter | isDigit}, behind: side{bytes: "/"}, never: " \n\"'\\`"},
		typeURL:           {behind: side{bytes: "/"}},
		"API_KEY":         {names: []nameKind{namesKey, namesAuthorization}},
		"PASSWORD":        {names: []nameKind{namesPassword}},
		"USERNAME":        {names: []nameKind{namesUser}},
	},
	onEqual: {
		"API_KEY":  {names: []nameKind{namesKey, namesAuthorization}},
		"PASSWORD": {names: []nameKind{namesPassword}},
		"USERNAME": {names: []nameKind{namesUser}},
	},
	onUpper: {
		"API_KEY":   {before: side{also: &beforeAnchor, classes: isDigit}},
		"JWT":       {at: "JK", before: side{bytes: "yl"}},
		"SWIFT_BIC": {before: side{bytes: "_-.", classes: isLetter | isDigit, not: true}, behind: side{bytes: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", classes: isDigit}},
		"PERSON":    {before: side{bytes: " \n"}},
	},
	onMark: {
		"API_KEY":     {before: side{also: &beforeAnchor, classes: isLetter | isDigit}, behind: side{also: &behindAnchor, bytes: "-_.=+/~", classes: isLetter | isDigit}},
		"PRIVATE_KEY": {at: "-", before: side{bytes: "-"}, behind: side{bytes: "B"}},
		"JWT":         {at: ".", behind: side{bytes: "e"}},
		"MAC_ADDRESS": {at: "-.", before: side{classes: isHex}, behind: side{classes: isHex}},
		"UUID":        {at: "-", before: side{classes: isHex}, behind: side{classes: isHex}},
		typeURL:       {at: ".", before: side{classes: isLetter | isDigit}, behind: side{bytes: "-", classes: isLetter | isDigit}},
		nameOfPlain:   {at: "._-", before: side{bytes: "_ ", classes: isLetter | isDigit | isWide}, behind: side{classes: isLetter}},
	},
}

// markRules has for every byte at a mark, before it and behind it the rules that
// it lets pass, as bits of their places.
type markRules struct {
	at, before, behind, after [256]uint16
	kinds                     [nameKinds]uint16 // by what keyed reads
	named                     uint16            // the rules that ask for it
}

// add takes in the rule at place k of a trigger.
func (m *markRules) add(k int, on trigger, d *detector) {
	bit := uint16(1) << k
	g := markGates[on][d.name]
	for k := range m.kinds {
		if g.names == nil || slices.Contains(g.names, nameKind(k)) {
			m.kinds[k] |= bit
		}
	}
	if g.names != nil {
		m.named |= bit
	}
	either := on == onColon && !(g.before.open() && g.behind.open())
	for i := range 256 {
		c := byte(i)
		if g.at == "" || within(c, g.at) {
			m.at[i] |= bit
		}
		if g.before.has(c) && !(either && g.before.open()) {
			m.before[i] |= bit
		}
		if !within(c, g.never) {
			m.after[i] |= bit
		}
		if g.behind.has(c) && !(either && g.behind.open()) {
			m.behind[i] |= bit
		}
	}
}

// rules answers which rules are to be asked at the mark at i.
func (m *markRules) rules(t string, i int, on trigger) uint16 {
	if i == 0 || len(t)-i < gateTail {
		return ^uint16(0)
	}
	before, behind := m.before[t[i-1]], m.behind[t[i+1]]
	if on == onColon {
		return (before | behind) & m.after[t[i+1]]
	}
	return before & behind & m.at[t[i]]
}
