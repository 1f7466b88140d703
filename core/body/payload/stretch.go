package payload

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Stretch is the beginning of a body's section: the runs from the section's first segment on, up to the end of a message. A
// section is a part of a request: its messages, its tools or its system prompt.
type Stretch struct {
	First, End int // the segments from First on, before End
	Size       int // at most how many bytes of text
	Sum        Sum // of all texts, roles, kinds and messages, and of how texts are joined; zero: it has none
}

// stretches are those of a payload, valid for the body they were made for.
type stretches struct {
	list   []Stretch
	bodies []Sum // of the stretches as the body spells them; zero: it has none
	valid  bool
	edited bool // the sums in the list are those with the edits so far
	raw    int  // the length of the body, and how many segments it had
	count  int
	room   []byte
}

// spareStretches are lists for the next body: an exchange whose answer takes a minute does not keep its own.
var spareStretches sync.Pool

func (t *stretches) reset() {
	if t.list == nil {
		return
	}
	if t.list, t.bodies, t.room = scratch.ReuseAll(t.list), scratch.ReuseAll(t.bodies), scratch.Reset(t.room); t.list != nil {
		spareStretches.Put(&stretches{list: t.list, bodies: t.bodies, room: t.room})
	}
	*t = stretches{}
}

const (
	// SummedStretches is how many stretches at the end of a section have a sum; no caller asks for an earlier one.
	SummedStretches = 8
	// checkpoint is how many stretches of a section a sum is made of at most: that of one in so many stands for all before it.
	checkpoint = 16
)

// ListStretches returns all stretches of the body, in order. A conversation that grows by some messages has those that it had
// before, so a stage that remembers what it found in the longest of them need not look up each run. The last SummedStretches
// of a section have sums. The list is valid until the next edit of the body. Only the caller may use the payload until then.
func (p *Payload) ListStretches(h Hasher) []Stretch {
	t := &p.stretches
	if !t.valid || t.raw != len(p.Raw) || t.count != len(p.Segments) {
		if spare, ok := spareStretches.Get().(*stretches); ok && t.list == nil {
			*t = *spare
		}
		t.valid, t.raw, t.count, t.edited = true, len(p.Raw), len(p.Segments), false
		t.list = p.appendBounds(t.list[:0])
		t.bodies = slices.Grow(t.bodies[:0], len(t.list))[:len(t.list)]
		visitSections(t.list, func(from, to int) { p.sumStretches(h, t.list[from:to], t.bodies[from:to]) })
	}
	if !t.edited {
		t.edited = true
		edits := p.edits.segments
		visitSections(t.list, func(from, to int) { edits = p.sumEditedStretches(h, t.list[from:to], t.bodies[from:to], edits) })
	}
	return t.list
}

// visitSections calls do with the bounds of each section in a list.
func visitSections(list []Stretch, do func(from, to int)) {
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].First == list[from].First {
			to++
		}
		do(from, to)
		from = to
	}
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

// sumStretches fills the sizes of a section's stretches, and the sums of the last as the body spells them. A sum is of the sum
// of the last checkpoint before it and of all stretches since: which of them are checkpoints depends on their numbers alone,
// so a conversation that has grown has the same.
func (p *Payload) sumStretches(h Hasher, section []Stretch, sums []Sum) {
	t := &p.stretches
	b, size, i := t.room[:0], 0, section[0].First
	known, at := p.countKnownStretches(section)
	recalled := false
	if known > 0 {
		if b, recalled = p.Lists.Memory.RecallScan(b, at); !recalled {
			b = b[:0]
		}
	}
	for n := range section {
		s := &section[n]
		skip := recalled && n < known
		if !skip {
			b = p.appendStretched(b, h, i, s.End)
		}
		for ; i < s.End; i++ {
			size += p.Segments[i].Span.Len()
		}
		s.Size, sums[n] = size, Sum{}
		if skip {
			continue
		}
		isCheckpoint := (n+1)%checkpoint == 0
		if isCheckpoint || n >= len(section)-SummedStretches {
			sums[n] = h.Hash(DomainStretch, b)
		}
		if isCheckpoint {
			b = append(b[:0], sums[n][:]...)
			if n+1 == known {
				p.Lists.Memory.StoreScan(at, b)
			}
		}
	}
	t.room = b[:0]
}

// countKnownStretches returns how many stretches of a section lie in the beginning of a list that the scan has noted, up to a
// checkpoint before those that need sums of their own, and the sum under which that of the checkpoint is remembered.
func (p *Payload) countKnownStretches(section []Stretch) (n int, at Sum) {
	if p.Lists.Memory == nil {
		return 0, at
	}
	for k := range p.Lists.Beginnings {
		b := &p.Lists.Beginnings[k]
		if b.First != section[0].First {
			continue
		}
		for n < len(section)-SummedStretches && section[n].End <= b.End {
			n++
		}
		if n -= n % checkpoint; n > 0 {
			sum := b.ComputeSum(p.Lists.Memory, p.Raw, b.Blocks)
			room := binary.LittleEndian.AppendUint32(append(p.summing[:0], sum[:]...), uint32(n))
			at, p.summing = p.Lists.Memory.Hash(DomainStretch, room), room[:0]
		}
		return n, at
	}
	return 0, at
}

// sumEditedStretches sets the sums of a section's stretches to what the edits make of those of the body, and returns
// the edits of the sections behind it. Reading a history again after each link that had edited its first message took
// 15 us of an agent's turn.
func (p *Payload) sumEditedStretches(h Hasher, section []Stretch, sums []Sum, edits []editedSegment) (left []editedSegment) {
	t, all, changed := &p.stretches, Sum{}, false // all: of the edits so far
	for n := range section {
		s := &section[n]
		if len(edits) > 0 && edits[0].segment < s.End {
			b := append(t.room[:0], all[:]...)
			for ; len(edits) > 0 && edits[0].segment < s.End; edits = edits[1:] {
				b = appendEdits(binary.LittleEndian.AppendUint32(b, uint32(edits[0].segment-s.First)), p.edits.listEdits(edits[0]))
			}
			all, changed, t.room = h.Hash(DomainEdits, b), true, b[:0]
		}
		s.Sum = sums[n]
		if changed && sums[n] != (Sum{}) {
			b := append(append(t.room[:0], sums[n][:]...), all[:]...)
			s.Sum, t.room = h.Hash(DomainEdited, b), b[:0]
		}
	}
	return edits
}

// appendEdits appends a list of edits with their number.
func appendEdits(b []byte, edits []splice.Edit) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(edits)))
	for k := range edits {
		e := &edits[k]
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Start))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.End))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(e.With)))
		b = append(b, e.With...)
	}
	return b
}

// shortStretch is the length, in bytes, below which the bytes of a stretch stand in the sum themselves: a sum takes as long as
// 500 bytes of a longer one.
const shortStretch = 128

// appendStretched appends what the sum of a stretch is made of: where its texts lie and what they are, and then the sum of all
// bytes from the first to the last, or these bytes themselves if they are few. One sum of a message's bytes takes two thirds of
// the time of one for each of its texts.
func (p *Payload) appendStretched(b []byte, h Hasher, from, end int) []byte {
	if len(p.Raw) == 0 { // it has texts alone
		b = binary.LittleEndian.AppendUint32(b, uint32(end-from)|1<<31)
		for i := from; i < end; i++ {
			sum, _ := p.SumSegment(h, i)
			b = append(appendForm(b, &p.Segments[i]), sum[:]...)
		}
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(end-from))
	all := p.Segments[from].Span
	for i := from + 1; i < end; i++ {
		all.Start, all.End = min(all.Start, p.Segments[i].Span.Start), max(all.End, p.Segments[i].Span.End)
	}
	for i := from; i < end; i++ {
		s := &p.Segments[i]
		b = appendForm(b, s)
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Span.Start-all.Start))
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Span.Len()))
	}
	first := &p.Segments[from]
	var sum Sum
	switch raw := p.Raw[all.Start:all.End]; {
	case len(raw) < shortStretch:
		return append(b, raw...)
	case end-from == 1 && !p.isDecoded(first):
		sum, _ = p.SumSegment(h, from) // which the text's own look-ups need too
	case end-from == 1 && first.Depth < uint8(DomainText):
		sum = h.Hash(Domain(first.Depth), raw)
	default:
		sum = h.Hash(DomainStretch, raw)
	}
	return append(b, sum[:]...)
}

// appendForm appends what a segment is.
func appendForm(b []byte, s *Segment) []byte {
	form := byte(0)
	for k, is := range [...]bool{s.Joined, s.Bare, s.Base64} {
		if is {
			form |= 1 << k
		}
	}
	return append(b, form, byte(s.Role), byte(s.Kind), s.Depth)
}
