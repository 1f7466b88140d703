package pii

import "math/bits"

// A rule runs a type's find at a stop.
type rule struct {
	find func(s *scan, at int) (from, to int, score float32)
	d    *detector
}

// A markTrigger is a trigger at a byte other than a digit.
type markTrigger struct {
	rule
	own   bool // the trigger has its own find
	look  func(t string, i int) bool
	names uint8 // the accepted nameKinds as bits; 0 for any text
	group uint8 // the same for all triggers of one type that use its find
}

// A markTable has the triggers at bytes other than digits. For every byte at, before and behind a stop it has the triggers
// that can hold, as bits of their index in list: three loads decide at most stops.
type markTable struct {
	list               []markTrigger
	at, before, behind [256]uint64
}

// marksMax is the number of bits for triggers in the masks.
const marksMax = 64

// add appends the trigger tr of d.
func (m *markTable) add(d *detector, tr *trigger) {
	bit := uint64(1) << len(m.list)
	own := tr.find != nil
	mark := markTrigger{rule: rule{d.find, d}, own: own, look: tr.look}
	if own {
		mark.find = tr.find
	}
	for _, kind := range tr.names {
		mark.names |= 1 << kind
	}
	if n := len(m.list); n > 0 {
		last := &m.list[n-1]
		mark.group = last.group
		if own || last.own || last.d != d {
			mark.group++
		}
	}
	m.list = append(m.list, mark)
	for i := range 256 {
		c := byte(i)
		if isOneOf(c, tr.at) {
			m.at[i] |= bit
		}
		if tr.before.has(c) {
			m.before[i] |= bit
		}
		if tr.behind.has(c) {
			m.behind[i] |= bit
		}
	}
}

// findCandidates returns the triggers that can hold at the mark at i, as bits. The last byte of the text matches any byte,
// because it may replace an incomplete character, see view.load.
func (m *markTable) findCandidates(t string, i int) uint64 {
	before := byte(0)
	if i > 0 {
		before = t[i-1]
	}
	found := m.at[t[i]] & m.before[before]
	if len(t)-i > 2 {
		found &= m.behind[t[i+1]]
	}
	return found
}

// runMarkRules runs the types whose triggers hold at the mark at i, and returns where to continue.
func (s *scan) runMarkRules(candidates uint64, i int) int {
	s.best.End, s.bestTo, s.at = 0, i+1, i
	asked := uint64(0) // groups that were run
	for ; candidates != 0; candidates &= candidates - 1 {
		m := &s.e.marks.list[bits.TrailingZeros64(candidates)]
		if asked>>m.group&1 != 0 || m.look != nil && !m.look(s.v.s, i) {
			continue
		}
		if m.names != 0 {
			if kind, _, _ := s.findNamedValue(i); m.names>>kind&1 == 0 {
				continue
			}
		}
		asked |= 1 << m.group
		s.applyRule(&m.rule, i)
	}
	return s.finishPlace(i + 1)
}
