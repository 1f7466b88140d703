package scan

import (
	"bytes"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// VisitOddStrings calls found with the content of each string in a value, names of members
// included, that is not spelled like an identifier, a date, an address or base64. A dialect
// calls it for the values of an answer that it does not show as text: ids, reasons, counts.
// doc must be valid JSON at at. In contrast to [IsPlain] long numbers pass, because ids that
// a provider makes contain them and no client chooses them.
func VisitOddStrings(doc []byte, at splice.Span, found func(at splice.Span)) {
	for i := at.Start; i < at.End; {
		if doc[i] != '"' { // numbers and punctuation
			n := bytes.IndexByte(doc[i:at.End], '"')
			if n < 0 {
				return
			}
			i += n
		}
		from := i + 1
		to := from
		for to < at.End && plainBytes[doc[to]] != 0 {
			to++
		}
		if to < at.End && doc[to] != '"' {
			var odd bool
			if to, odd = findStringEnd(doc[:at.End], to); odd {
				found(splice.Span{Start: from, End: to})
			}
		}
		i = to + 1
	}
}

// findStringEnd returns where a string ends, and whether its content from a place on is odd.
func findStringEnd(doc []byte, from int) (to int, odd bool) {
	for to = from; to < len(doc) && doc[to] != '"'; to++ {
		if doc[to] != '\\' {
			odd = odd || plainBytes[doc[to]] == 0
			continue
		}
		to++
		if c, ok := decodeEscapedASCII(doc[to:]); ok { // some encoders write = of base64 so
			odd, to = odd || plainBytes[c] == 0, to+4
			continue
		}
		odd = odd || to < len(doc) && doc[to] != '/' // of base64
	}
	return min(to, len(doc)), odd
}

// decodeEscapedASCII returns the character of an escape u00XX below 0x80.
func decodeEscapedASCII(escape []byte) (byte, bool) {
	if len(escape) < 5 || string(escape[:3]) != "u00" {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, escape[3]), strings.IndexByte(hexDigits, escape[4]|0x20)
	if high < 0 || high > 7 || low < 0 {
		return 0, false
	}
	return byte(high<<4 | low), true
}

// ScanNonText consumes the next value and calls found as [VisitOddStrings] does.
func ScanNonText(s *splice.Scanner, doc []byte, found func(at splice.Span)) {
	at := s.Skip()
	if s.Err() == nil {
		VisitOddStrings(doc, at, found)
	}
}

// ScanNonText consumes the next value, which is not text, and adds what of it does not look like
// that as segments.
func (r *Response) ScanNonText(name string, message, part int32) {
	from := r.S.Pos()
	r.S.Skip()
	r.AddOddStrings(from, name, message, part)
}

// AddOddStrings does what [Response.ScanNonText] does for a value that has been read; from is a place
// before it.
func (r *Response) AddOddStrings(from int, name string, message, part int32) {
	if r.S.Err() != nil {
		return
	}
	VisitOddStrings(r.Doc, splice.Span{Start: from, End: r.S.Pos()}, func(at splice.Span) {
		r.X.Response.Segments = append(r.X.Response.Segments, core.Segment{
			Role: core.RoleAssistant, Kind: core.KindOther, Depth: 1, Message: message, Part: part, Field: name, Span: at,
		})
	})
}

// MarkLooseValues marks the tied values, from the index tied, whose content differs from the texts of
// their choice, which are the segments from the index segment.
func (r *Response) MarkLooseValues(tied, segment int) {
	p := &r.X.Response
	if tied == len(p.Tied) || r.S.Err() != nil {
		return
	}
	var texts []splice.Span
	for i := segment; i < len(p.Segments) && len(texts) < maxTexts; i++ {
		if s := &p.Segments[i]; s.Depth == 1 && s.Kind != core.KindOther && s.Kind != core.KindToolArgs {
			texts = append(texts, s.Span)
		}
	}
	for i := tied; i < len(p.Tied); i++ {
		p.Tied[i].Loose = !Repeats(r.Doc, p.Tied[i].Span, texts...)
	}
}
