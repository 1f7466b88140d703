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

// AppendDigested appends the body with the edits made so far, in which long texts are replaced by their sums. Bodies
// with equal results are equal, and equal bodies have equal results, whoever wrote their texts: but for texts that are cut
// together with what stands beside them. It is JSON as the body is, but for the mark that begins each sum.
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
		if s.Base64 || s.Bare || s.Depth == 0 || s.Depth >= uint8(DomainText) || s.Span.Start < at {
			continue // its bytes in the body are more than a text within a string
		}
		edited := s.ahead
		if !edited && s.Span.Len() < minDigested {
			continue
		}
		dst, at, cuts = p.appendCut(dst, at, cuts, s.Span.Start, s.Span.Start)
		if at > s.Span.Start || !edited && len(cuts) > 0 && cuts[0].Start < s.Span.End {
			continue
		}
		dst = append(dst, p.Raw[at:s.Span.Start]...)
		at = s.Span.Start
		var sum Sum
		if edited {
			from := len(dst)
			dst, at, cuts = p.appendCut(dst, at, cuts, s.Span.End+1, s.Span.End)
			if len(cuts) > 0 && cuts[0].Start < s.Span.End || at > s.Span.End { // it is cut together with what stands beside it
				continue
			}
			dst = append(dst, p.Raw[at:s.Span.End]...)
			at = s.Span.End
			if len(dst)-from < minDigested {
				continue
			}
			sum = h.Hash(Domain(s.Depth), dst[from:])
			dst = dst[:from]
		} else {
			sum, _ = p.Sum(h, i)
		}
		dst = append(dst, digestMark, '0'+s.Depth)
		dst = base64.RawStdEncoding.AppendEncode(dst, sum[:])
		at = s.Span.End
	}
	dst, at, _ = p.appendCut(dst, at, cuts, len(p.Raw)+1, len(p.Raw))
	return append(dst, p.Raw[at:]...), nil
}

// appendCut appends the body from at with the cuts that begin before start and end at or before end, and returns where it
// stopped and the cuts that are left.
func (p *Payload) appendCut(dst []byte, at int, cuts []splice.Cut, start, end int) (out []byte, stop int, left []splice.Cut) {
	for len(cuts) > 0 && cuts[0].Start < start && cuts[0].End <= end {
		dst = append(append(dst, p.Raw[at:cuts[0].Start]...), cuts[0].With...)
		at, cuts = cuts[0].End, cuts[1:]
	}
	return dst, at, cuts
}
