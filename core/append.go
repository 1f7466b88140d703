package core

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/splice"
)

// Member finds the value of a member of the request's body, which Scan has
// checked. ok is false when there is none.
func (x *Exchange) Member(name string) (at splice.Span, kind splice.Kind, ok bool) {
	s := &x.Scanner
	s.Reset(x.Request.Raw)
	s.Enter()
	for s.Next() {
		if string(s.Key()) != name {
			s.Skip()
			continue
		}
		kind = s.Kind()
		at = s.Skip()
		return at, kind, s.Err() == nil
	}
	return at, 0, false
}

// AppendElements gives the cut that puts elements, which are JSON with commas
// between them, behind those of the array at a span of doc.
func AppendElements(doc []byte, array splice.Span, elements []byte) splice.Cut {
	end := array.End - 1
	with := string(elements)
	if inside := bytes.TrimSpace(doc[array.Start+1 : end]); len(inside) > 0 {
		with = "," + with
	}
	return splice.Cut{Span: splice.Span{Start: end, End: end}, With: with}
}

// NotAppended is the error of a request that more messages cannot be put behind.
func NotAppended(member string) *Error {
	return &Error{
		Kind: BadGateway, Code: CodeUpstreamInvalid, Param: member,
		Public: "the model's answer was not accepted, and the model cannot be asked again, because \"" + member + "\" is no list",
	}
}
