package payload

import (
	"encoding/binary"
	"sync"

	"github.com/headgate-dev/headgate/core/body/scratch"
)

// Stretch is the beginning of a body's section: the runs from the section's first segment on, up to the end of a message. A
// section is what stands in messages, or beside them: tools, a system prompt.
type Stretch struct {
	First, End int // the segments from First on, before End
	Size       int // at most how many bytes of text
	Sum        Sum // of all texts, roles, kinds and messages, and of how texts are joined; zero: it has none
}

// stretches are those of a payload, valid for the body they were made for.
type stretches struct {
	list  []Stretch
	valid bool
	raw   int // the length of the body, and how many segments it had
	count int
	room  []byte
}

// spareStretches are lists for the next body: an exchange whose answer takes a minute does not keep its own.
var spareStretches sync.Pool

func (t *stretches) reset() {
	if t.list == nil {
		return
	}
	if t.list, t.room = scratch.ReuseAll(t.list), scratch.Keep(t.room); t.list != nil {
		spareStretches.Put(&stretches{list: t.list, room: t.room})
	}
	*t = stretches{}
}

const (
	// SummedStretches is how many stretches at the end of a section have a sum; no caller asks for an earlier one.
	SummedStretches = 8
	// checkpoint is how many stretches of a section a sum is made of at most: that of one in so many stands for all before it.
	checkpoint = 16
)

// Stretches returns all stretches of the body, in order. A conversation that grows by some messages has those that it had
// before, so a stage that remembers what it found in the longest of them need not look up each run. The last SummedStretches
// of a section have sums. The list is valid until the next edit of the body. Only the caller may use the payload until then.
func (p *Payload) Stretches(h Hasher) []Stretch {
	t := &p.stretches
	if t.valid && t.raw == len(p.Raw) && t.count == len(p.Segments) {
		return t.list
	}
	if spare, ok := spareStretches.Get().(*stretches); ok && t.list == nil {
		*t = *spare
	}
	t.valid, t.raw, t.count = true, len(p.Raw), len(p.Segments)
	t.list = p.appendBounds(t.list[:0])
	for first := 0; first < len(t.list); {
		end := first + 1
		for end < len(t.list) && t.list[end].First == t.list[first].First {
			end++
		}
		p.sumStretches(h, t.list[first:end])
		first = end
	}
	return t.list
}

// appendBounds appends the stretches of the body without sizes and sums.
func (p *Payload) appendBounds(list []Stretch) []Stretch {
	for i := 0; i < len(p.Segments); {
		message := p.Segments[i].Message
		now := Stretch{First: i}
		if n := len(list); n > 0 {
			if before := &list[n-1]; (p.Segments[before.First].Message < 0) == (message < 0) {
				now.First = before.First
			}
		}
		for first := i; i < len(p.Segments) && (i == first || p.Segments[i].Joined || p.Segments[i].Message == message); {
			i++
		}
		now.End = i
		list = append(list, now)
	}
	return list
}

// sumStretches fills the sizes of a section's stretches, and the sums of the last. A sum is of the sum of the last
// checkpoint before it and of all segments since: which stretches are checkpoints depends on their numbers alone, so a
// conversation that has grown has the same.
func (p *Payload) sumStretches(h Hasher, section []Stretch) {
	t := &p.stretches
	b, size, i := t.room[:0], 0, section[0].First
	for n := range section {
		s := &section[n]
		for first := i; i < s.End; i++ {
			var k int
			b, k = p.appendStretched(b, h, i, i == first)
			size += k
		}
		s.Size = size
		isCheckpoint := (n+1)%checkpoint == 0
		if isCheckpoint || n >= len(section)-SummedStretches {
			s.Sum = h.Hash(DomainStretch, b)
		}
		if isCheckpoint {
			b = append(b[:0], s.Sum[:]...)
		}
	}
	t.room = b[:0]
}

// shortText is the length, in bytes, below which a text stands in a stretch's sum itself: half of an agent's texts are
// shorter, and each sum takes as long as 500 bytes of a longer one.
const shortText = 48

// appendStretched appends a segment to what the sum of a stretch is made of: a head of one form and length, and then the
// sum of the text or, if it is short, its bytes. begins says that the segment is the first of its stretch. It returns at most
// how many bytes the text has.
func (p *Payload) appendStretched(b []byte, h Hasher, i int, begins bool) (out []byte, size int) {
	s := &p.Segments[i]
	var sum Sum
	var text []byte
	form := byte(0)
	if !p.isDecoded(s) && s.Span.Len() < shortText {
		form, size, text = 2, s.Span.Len(), p.Raw[s.Span.Start:s.Span.End]
	} else {
		sum, size = p.Sum(h, i)
		text = sum[:]
	}
	if s.Joined {
		form |= 1
	}
	if begins {
		form |= 4
	}
	b = append(b, form, byte(s.Role), byte(s.Kind), s.Depth)
	return append(binary.LittleEndian.AppendUint32(b, uint32(size)), text...), size
}
