package chain

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// partTable holds the parts of a stream that are open, by choice. A provider decides how many
// there are and in which order their text comes, so that no step may look at all of them: a
// table of n parts costs each event as much as one of a few.
type partTable struct {
	choices []choiceParts
	index   map[int32]int // of choices; nil while they are few
	opened  int           // parts so far
	size    int           // parts in the table
	steps   int           // parts and choices that were looked at, for tests of the bound
	gone    [][]tail      // buffers of parts that were dropped
}

// choiceParts are the parts of one choice in the order of their opening. They are few: text and
// reasoning follow each other, and at most maxUnfinished tool calls are open side by side.
type choiceParts struct {
	choice int32
	parts  []*part
}

const (
	fewChoices = 16
	// maxOpenParts bounds the parts that are open at the same time: 128 choices, the most that
	// a provider gives, with 128 tool calls each.
	maxOpenParts = 1 << 14
)

// isFull reports whether no further part may be opened.
func (t *partTable) isFull() bool { return t.size >= maxOpenParts }

// find returns the open part, or nil.
func (t *partTable) find(p core.Part) *part {
	for _, q := range t.listChoiceParts(p.Choice) {
		if t.steps++; q.Part == p && q.state == open {
			return q
		}
	}
	return nil
}

// listChoiceParts returns the parts of a choice. The slice is valid until the next add or drop.
func (t *partTable) listChoiceParts(choice int32) []*part {
	if i := t.lookup(choice); i >= 0 {
		return t.choices[i].parts
	}
	return nil
}

func (t *partTable) lookup(choice int32) int {
	if t.index != nil {
		t.steps++
		if i, ok := t.index[choice]; ok {
			return i
		}
		return -1
	}
	for i := range t.choices {
		if t.steps++; t.choices[i].choice == choice {
			return i
		}
	}
	return -1
}

// add puts a part into the table.
func (t *partTable) add(q *part) {
	i := t.lookup(q.Choice)
	if i < 0 {
		i = len(t.choices)
		t.choices = append(t.choices, choiceParts{choice: q.Choice})
		switch {
		case t.index != nil:
			t.index[q.Choice] = i
		case len(t.choices) > fewChoices:
			t.index = make(map[int32]int, 4*fewChoices)
			for k := range t.choices {
				t.index[t.choices[k].choice] = k
			}
		}
	}
	q.number = t.opened
	t.opened++
	t.size++
	t.choices[i].parts = append(t.choices[i].parts, q)
}

// dropClosed removes the parts of a choice that have ended.
func (t *partTable) dropClosed(choice int32) {
	i := t.lookup(choice)
	if i < 0 {
		return
	}
	c := &t.choices[i]
	keep := c.parts[:0]
	for _, q := range c.parts {
		if t.steps++; q.state == open {
			keep = append(keep, q)
		} else {
			t.releaseBuffers(q)
		}
	}
	t.size -= len(c.parts) - len(keep)
	clear(c.parts[len(keep):])
	c.parts = keep
	if len(keep) > 0 || t.index == nil {
		return
	}
	last := len(t.choices) - 1
	delete(t.index, choice)
	if i != last {
		t.choices[i] = t.choices[last]
		t.index[t.choices[i].choice] = i
	}
	t.choices[last] = choiceParts{}
	t.choices = t.choices[:last]
}

// listParts returns all parts in the order of their opening.
func (t *partTable) listParts() []*part {
	if len(t.choices) == 1 {
		return t.choices[0].parts
	}
	all := make([]*part, 0, t.size)
	for i := range t.choices {
		all = append(all, t.choices[i].parts...)
	}
	slices.SortFunc(all, func(a, b *part) int { return cmp.Compare(a.number, b.number) })
	return all
}

// releaseBuffers keeps the buffers of a part that leaves the table. What the part has cleared may still be in use.
func (t *partTable) releaseBuffers(q *part) {
	if len(t.gone) < maxSpare {
		t.gone = append(t.gone, q.bufs)
	}
}

// reset empties the table.
func (t *partTable) reset() {
	for i := range t.choices {
		for _, q := range t.choices[i].parts {
			if len(t.gone) == maxSpare {
				break
			}
			t.releaseBuffers(q)
		}
	}
	t.choices, t.index, t.size = nil, nil, 0
}
