package payload

import (
	"encoding/binary"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Sum is a keyed hash of 128 bits.
type Sum [16]byte

// Hasher hashes bytes with a secret key. Equal bytes of different domains have unrelated sums.
type Hasher interface {
	Hash(domain Domain, b []byte) Sum
}

// Domain says what is hashed.
type Domain uint8

// Domains. Those below DomainText are the depths of texts as the body spells them.
const (
	DomainText    Domain = 8 + iota // a decoded text
	DomainRun                       // the sums of the segments of a run
	DomainStretch                   // the sums of the segments of a stretch
	DomainTenant                    // who sent a text
	DomainConfig                    // what a stage depends on beside texts
	DomainBody                      // a body with the sums of its texts
	DomainEdited                    // the sum of a text and the edits that made another of it
	DomainEdits                     // edits of texts in a stretch
	DomainBlock                     // bytes of a list
	Domains                         // how many there are
)

// SumSegment returns the sum of the text of segment i alone, computed once, and at most how many bytes the text has.
// Texts with equal sums are equal. Equal texts have different sums if bodies spell them in different ways, because a
// text that no link has changed is not decoded for its sum; or if they were made by different edits.
func (p *Payload) SumSegment(h Hasher, i int) (sum Sum, size int) {
	s := &p.Segments[i]
	size = s.Span.Len()
	decoded := p.isDecoded(s)
	if decoded {
		size = len(p.ReadText(i))
	}
	if s.summed {
		return s.sum, size
	}
	if decoded {
		s.sum = h.Hash(DomainText, zerocopy.ViewBytes(p.ReadText(i)))
	} else {
		s.sum = h.Hash(Domain(s.Depth), p.Raw[s.Span.Start:s.Span.End])
	}
	s.summed, s.spelled, p.hasher = true, !decoded, h
	return s.sum, size
}

// sumEdits makes the sum of a text, if it is known, that of the text that the edits make of it. The text itself is not read
// again: redacting 100 KB for the next link's look-up cost 14 us.
func (p *Payload) sumEdits(s *Segment, edits []Edit) {
	if s.summed = s.summed && p.hasher != nil; !s.summed {
		return
	}
	b := append(p.summing[:0], s.sum[:]...)
	for k := range edits {
		e := &edits[k]
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Start))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.End))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(e.With)))
		b = append(b, e.With...)
	}
	s.sum = p.hasher.Hash(DomainEdited, b)
	p.summing = b[:0]
}

// isDecoded reports whether the text of a segment does not follow from its bytes in the body and its depth alone.
func (p *Payload) isDecoded(s *Segment) bool {
	return s.ahead || s.Base64 || s.Depth >= uint8(DomainText)
}

// SumRun returns the sum of the run that starts at segment i, at most how many bytes its text has, and how many
// segments it has.
func (p *Payload) SumRun(h Hasher, i int) (sum Sum, size, n int) {
	for n = 1; i+n < len(p.Segments) && p.Segments[i+n].Joined; n++ {
	}
	if n == 1 {
		sum, size = p.SumSegment(h, i)
		return sum, size, n
	}
	b := make([]byte, 0, 24*n)
	for j := i; j < i+n; j++ {
		one, k := p.SumSegment(h, j)
		b = binary.LittleEndian.AppendUint64(append(b, one[:]...), uint64(k))
		size += k
	}
	return h.Hash(DomainRun, b), size, n
}
