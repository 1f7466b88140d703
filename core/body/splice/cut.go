package splice

import (
	"cmp"
	"errors"
	"slices"
)

// Errors of this package about positions. They carry no input text.
var (
	// ErrRange says that a span lies outside the bytes it points into, or ends
	// before it starts.
	ErrRange = errors.New("splice: span out of range")
	// ErrOverlap says that two spans of one call share a byte.
	ErrOverlap = errors.New("splice: spans overlap")
)

// Span is a run of bytes in a document, half open: Start is the offset of the
// first byte, End the offset behind the last one.
type Span struct{ Start, End int }

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// isWithin reports whether the span is well formed and lies in n bytes.
func (s Span) isWithin(n int) bool { return s.Start >= 0 && s.Start <= s.End && s.End <= n }

// Cut replaces the bytes of its span by With, which is written as it is: it
// must already be encoded for its place. An empty span inserts, an empty With
// deletes.
type Cut struct {
	Span
	With string
}

// Apply returns doc with the cuts made. Without cuts it returns doc itself, the
// same slice; otherwise a new slice, and doc is left alone. Cuts may come in any
// order; insertions at one place keep the order they were given in, and stand
// before a replacement that starts there. It fails with [ErrRange] or
// [ErrOverlap].
func Apply(doc []byte, cuts []Cut) ([]byte, error) {
	if len(cuts) == 0 {
		return doc, nil
	}
	cuts, size, err := prepareCuts(doc, cuts)
	if err != nil {
		return nil, err
	}
	return appendCut(make([]byte, 0, size), doc, cuts), nil
}

// Append appends doc with the cuts made to dst, by the rules of [Apply]. The
// spare room of dst must not overlap doc. On an error dst comes back unchanged.
func Append(dst, doc []byte, cuts []Cut) ([]byte, error) {
	if len(cuts) == 0 {
		return append(dst, doc...), nil
	}
	cuts, size, err := prepareCuts(doc, cuts)
	if err != nil {
		return dst, err
	}
	return appendCut(slices.Grow(dst, size), doc, cuts), nil
}

// prepareCuts puts the cuts in order, checks them and computes the length of the
// result. The caller's slice is never reordered: it is copied when it is not in
// order already.
func prepareCuts(doc []byte, cuts []Cut) (sorted []Cut, size int, err error) {
	for i := 1; i < len(cuts); i++ {
		if a, b := &cuts[i-1], &cuts[i]; a.Start > b.Start || a.Start == b.Start && a.End > b.End {
			cuts = slices.Clone(cuts)
			slices.SortStableFunc(cuts, compareCuts)
			break
		}
	}
	size, end := len(doc), 0
	for i := range cuts {
		c := &cuts[i]
		if !c.isWithin(len(doc)) {
			return nil, 0, ErrRange
		}
		if c.Start < end {
			return nil, 0, ErrOverlap
		}
		end = c.End
		size += len(c.With) - c.Len()
	}
	return cuts, size, nil
}

func compareCuts(a, b Cut) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

func appendCut(dst, doc []byte, cuts []Cut) []byte {
	at := 0
	for i := range cuts {
		dst = append(dst, doc[at:cuts[i].Start]...)
		dst = append(dst, cuts[i].With...)
		at = cuts[i].End
	}
	return append(dst, doc[at:]...)
}
