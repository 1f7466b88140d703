package chain

import (
	"slices"

	"github.com/headgate-dev/headgate/core/body/scratch"
)

// spareTails are the buffers of parts of earlier streams. The next stream uses them again: growing new ones took 2 % of an
// agent's turn. Only closed streams give theirs, because what a part has cleared stays in them.
type spareTails struct{ sets [][]tail }

const (
	// maxSpare is how many parts leave their buffers, one set for each link: an answer has text, reasoning and some calls of tools.
	maxSpare = 8
	// maxTail is the size in bytes up to which a buffer is kept; links seldom hold more.
	maxTail = 8 << 10
)

// get returns empty tails for so many links.
func (s *spareTails) get(links int) []tail {
	i := slices.IndexFunc(s.sets, func(set []tail) bool { return len(set) == links })
	if i < 0 {
		return make([]tail, links)
	}
	set, last := s.sets[i], len(s.sets)-1
	s.sets[i], s.sets[last] = s.sets[last], nil
	s.sets = s.sets[:last]
	return set
}

// put keeps the buffers of a part that is not used any more.
func (s *spareTails) put(set []tail) {
	if len(s.sets) == maxSpare { // those of the chain before a reload have another length, and are not taken
		s.sets = slices.Delete(s.sets, 0, 1)
	}
	for i := range set {
		set[i].empty()
	}
	s.sets = append(s.sets, set)
}

// empty forgets what is in the buffers.
func (b *tail) empty() {
	t := tail{tracked: scratch.ReuseAll(b.tracked), marks: scratch.ReuseAll(b.marks)}
	if cap(b.text) <= maxTail {
		t.text = b.text[:0]
	}
	if cap(b.out) <= maxTail {
		t.out = b.out[:0]
	}
	*b = t
}
