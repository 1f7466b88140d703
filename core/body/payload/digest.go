package payload

import (
	"encoding/base64"

	"github.com/headgate-dev/headgate/core/body/splice"
)

const (
	// minDigested is the length of the shortest text that AppendDigested replaces, in bytes.
	minDigested = 64
	// digestMark begins what stands for a text. JSON has no such byte, in strings or between them.
	digestMark = 1
)

// AppendDigested appends the body with the edits made so far, in which long texts that no edit changes are replaced by
// their sums. Bodies with equal results are equal. Equal bodies have equal results, unless an edit has made a text in one
// of them that the other has from its client. It is JSON as the body is, but for the mark that begins each sum.
//
// A history that the stages remember has its sums already, so the cost is that of what is new: a key of the cache takes
// 0.14 ms for 300 KB in messages of 2 KB, and 0.73 ms from all bytes (BenchmarkKey of the cache).
func (p *Payload) AppendDigested(dst []byte, h Hasher) ([]byte, error) {
	var err error
	p.cuts = p.cuts[:0]
	if !p.edits.empty() || p.dropsLoose {
		if p.cuts, err = p.appendCuts(p.cuts); err != nil {
			return dst, err
		}
	}
	at, cuts := 0, p.cuts
	for i := range p.Segments {
		s := &p.Segments[i]
		if !s.isDigestible() || s.Span.Start < at {
			continue
		}
		dst, at, cuts = p.appendCut(dst, at, cuts, s.Span.Start)
		if len(cuts) > 0 && cuts[0].Start < s.Span.End {
			continue
		}
		sum, _ := p.Sum(h, i)
		dst = append(append(dst, p.Raw[at:s.Span.Start]...), digestMark, '0'+s.Depth)
		dst = base64.RawStdEncoding.AppendEncode(dst, sum[:])
		at = s.Span.End
	}
	dst, at, _ = p.appendCut(dst, at, cuts, len(p.Raw))
	return append(dst, p.Raw[at:]...), nil
}

// isDigestible reports whether the segment is a long text within a JSON string whose sum is that of its bytes in the body.
func (s *Segment) isDigestible() bool {
	return s.Span.Len() >= minDigested && !s.ahead && !s.Base64 && !s.Bare && s.Depth > 0 && s.Depth < uint8(DomainText)
}

// appendCut appends the body from at with the cuts that end at or before end, and returns where it stopped and the cuts
// that are left.
func (p *Payload) appendCut(dst []byte, at int, cuts []splice.Cut, end int) (out []byte, stop int, left []splice.Cut) {
	for len(cuts) > 0 && cuts[0].End <= end {
		dst = append(append(dst, p.Raw[at:cuts[0].Start]...), cuts[0].With...)
		at, cuts = cuts[0].End, cuts[1:]
	}
	return dst, at, cuts
}
