package payload

import (
	"encoding/binary"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// ScanMemory remembers what scans have found in the beginnings of lists, for one tenant. It may forget anything. It stores no
// text.
type ScanMemory interface {
	Hasher
	RecallScan(dst []byte, of Sum) (value []byte, ok bool)
	StoreScan(of Sum, value []byte)
}

// Beginning is the beginning of a list in the body, such as that of the messages: whole elements, up to a block's end.
// Which ones follows from the bytes of the list alone.
type Beginning struct {
	Span       splice.Span // from behind the list's bracket to the end of an element
	First, End int         // its segments
	Blocks     int         // how many blocks of bytes the elements lie in; the last may go on behind them
	Size       int         // of a block, in bytes
	Seed       Sum         // of what is read, and of how
	sums       []Sum       // of the first blocks, each with all before it
}

// Element is where an element of a list ends.
type Element struct {
	End      int // in the body
	Segments int // the number of segments before its end
	Flags    uint64
}

// Lists are what a scan notes of the lists of a body, kept for reuse.
type Lists struct {
	Memory     ScanMemory // optional
	Elements   []Element
	Names      []splice.Span // of tools
	Beginnings []Beginning
	Value      []byte
}

func (l *Lists) reset() {
	all := l.Beginnings[:cap(l.Beginnings)] // one that was begun and not kept lies behind the others
	for i := range all {
		all[i] = Beginning{sums: scratch.ReuseAll(all[i].sums)}
	}
	l.Memory = nil
	l.Elements, l.Names, l.Beginnings = scratch.ReuseAll(l.Elements), scratch.ReuseAll(l.Names), l.Beginnings[:0]
	l.Value = scratch.Reset(l.Value)
}

// CopyScan copies the unedited body and the segments of another payload into this one, which must be empty.
func (p *Payload) CopyScan(from *Payload) {
	p.Status, p.Header, p.Raw = from.Status, from.Header, from.Raw
	p.ReserveSegments()
	p.Segments = append(p.Segments[:0], from.Segments...)
	p.stretches.valid = false
	p.Lists.Memory, p.Lists.Beginnings = from.Lists.Memory, p.Lists.Beginnings[:0]
	for i := range from.Lists.Beginnings {
		b := p.Lists.NewBeginning()
		sums := append(b.sums, from.Lists.Beginnings[i].sums...)
		*b = from.Lists.Beginnings[i]
		b.sums = sums
		p.Lists.Beginnings = p.Lists.Beginnings[:i+1]
	}
}

// NewBeginning returns a place for the beginning of a list. It is added to Beginnings once its blocks are known.
func (l *Lists) NewBeginning() *Beginning {
	n := len(l.Beginnings)
	if n == cap(l.Beginnings) {
		l.Beginnings = append(l.Beginnings, Beginning{})[:n]
	}
	b := &l.Beginnings[:n+1][n]
	*b = Beginning{sums: b.sums[:0]}
	return b
}

// ComputeSum returns the sum of the first blocks of the list: of so many, with the seed.
func (b *Beginning) ComputeSum(h Hasher, body []byte, blocks int) Sum {
	if len(b.sums) == 0 {
		b.sums = append(b.sums, b.Seed)
	}
	for n := len(b.sums); n <= blocks; n++ {
		one := h.Hash(DomainBlock, body[b.Span.Start+(n-1)*b.Size:b.Span.Start+n*b.Size])
		var both [2 * len(one)]byte
		copy(both[:], b.sums[n-1][:])
		copy(both[len(one):], one[:])
		b.sums = append(b.sums, h.Hash(DomainBlock, both[:]))
	}
	return b.sums[blocks]
}

// sumEdited returns the sum of a beginning and of the edits of its texts.
func (p *Payload) sumEdited(h Hasher, b *Beginning) Sum {
	sum := b.ComputeSum(h, p.Raw, b.Blocks)
	room := binary.LittleEndian.AppendUint64(append(p.summing[:0], sum[:]...), uint64(b.Span.Len()))
	for _, s := range p.edits.segments {
		if s.segment >= b.First && s.segment < b.End {
			room = appendEdits(binary.LittleEndian.AppendUint32(room, uint32(s.segment-b.First)), p.edits.listEdits(s))
		}
	}
	sum = h.Hash(DomainEdits, room)
	p.summing = room[:0]
	return sum
}

// skipBeginning returns the cuts behind a beginning. ok is false if there are others in it than those of its texts, or one that
// goes on behind it.
func (p *Payload) skipBeginning(b *Beginning, cuts []splice.Cut) (left []splice.Cut, ok bool) {
	edits := 0
	for _, s := range p.edits.segments {
		if s.segment >= b.First && s.segment < b.End {
			edits += s.to - s.from
		}
	}
	n := 0
	for n < len(cuts) && cuts[n].Start < b.Span.End {
		if cuts[n].Start < b.Span.Start || cuts[n].End > b.Span.End {
			return cuts, false
		}
		n++
	}
	return cuts[n:], n == edits
}
