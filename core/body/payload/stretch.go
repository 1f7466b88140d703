package payload

import (
	"encoding/binary"

	"github.com/headgate-dev/headgate/core/body/scratch"
)

// Stretch is the beginning of a body's section: the runs from the section's first segment on, up to the end of a message. A
// section is what stands in messages, or beside them: tools, a system prompt.
type Stretch struct {
	First, End int // the segments from First on, before End
	Size       int // at most how many bytes of text
	Sum        Sum // of all texts, roles and kinds, and of how texts are joined
}

// stretches are those of a payload, valid for the body they were made for.
type stretches struct {
	list  []Stretch
	valid bool
	raw   int // the length of the body, and how many segments it had
	count int
	room  []byte
}

func (t *stretches) reset() {
	*t = stretches{list: scratch.ReuseAll(t.list), room: scratch.Keep(t.room)}
}

// Stretches returns all stretches of the body, in order. A conversation that grows by some messages has those that it had
// before, so a stage that remembers what it found in the longest of them need not look up each run. The list is valid until
// the next edit of the body. Nobody but the caller may use the payload meanwhile.
func (p *Payload) Stretches(h Hasher) []Stretch {
	t := &p.stretches
	if t.valid && t.raw == len(p.Raw) && t.count == len(p.Segments) {
		return t.list
	}
	t.list, t.valid, t.raw, t.count = t.list[:0], true, len(p.Raw), len(p.Segments)
	for i := 0; i < len(p.Segments); {
		message := p.Segments[i].Message
		now := Stretch{First: i}
		b := t.room[:0]
		if n := len(t.list); n > 0 {
			if before := &t.list[n-1]; (p.Segments[before.First].Message < 0) == (message < 0) {
				now.First, now.Size = before.First, before.Size
				b = append(b, before.Sum[:]...)
			}
		}
		for first := i; i < len(p.Segments) && (i == first || p.Segments[i].Joined || p.Segments[i].Message == message); i++ {
			var size int
			b, size = p.appendStretched(b, h, i)
			now.Size += size
		}
		now.End, now.Sum = i, h.Hash(DomainStretch, b)
		t.list, t.room = append(t.list, now), b[:0]
	}
	return t.list
}

// shortText is the length, in bytes, below which a text stands in a stretch's sum itself: half of an agent's texts are
// shorter, and each sum takes as long as 500 bytes of a longer one.
const shortText = 48

// appendStretched appends a segment to what the sum of a stretch is made of: a head of one form and length, and then the
// sum of the text or, if it is short, its bytes. It returns at most how many bytes the text has.
func (p *Payload) appendStretched(b []byte, h Hasher, i int) (out []byte, size int) {
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
	b = append(b, form, byte(s.Role), byte(s.Kind), s.Depth)
	return append(binary.LittleEndian.AppendUint32(b, uint32(size)), text...), size
}
