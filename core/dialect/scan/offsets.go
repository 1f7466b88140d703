package scan

import (
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Offsets reads a document for the numbers in it that point into a text. Values of other kinds than expected are skipped.
type Offsets struct {
	S       splice.Scanner
	Numbers []offset.Number
}

// OpenOffsets prepares reading doc, which is an object, and appending to dst.
func OpenOffsets(dst []offset.Number, doc []byte) *Offsets {
	o := &Offsets{Numbers: dst}
	o.S.Reset(doc)
	return o
}

// VisitEach calls read for each element of a list that is an object. It always returns true: the value has been read.
func (o *Offsets) VisitEach(read func(n int32)) bool {
	if o.S.Kind() != splice.Array {
		o.S.Skip()
		return true
	}
	o.S.Enter()
	for n := int32(0); o.S.Next(); n++ {
		if o.S.Kind() == splice.Object {
			read(n)
		} else {
			o.S.Skip()
		}
	}
	return true
}

// VisitMembers calls read for each member of an object. read returns false for a member that it has not read.
func (o *Offsets) VisitMembers(read func(key string) bool) {
	if o.S.Kind() != splice.Object {
		o.S.Skip()
		return
	}
	o.S.Enter()
	for o.S.Next() {
		if !read(string(o.S.Key())) {
			o.S.Skip()
		}
	}
}

// Add appends the number that is read next, with the other fields of n. It returns false if the value is not a number.
func (o *Offsets) Add(n offset.Number) bool {
	if o.S.Kind() != splice.Number {
		return false
	}
	n.At = o.S.Number()
	o.Numbers = append(o.Numbers, n)
	return true
}
