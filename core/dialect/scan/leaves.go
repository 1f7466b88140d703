package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Leaves are the rules by which a dialect looks for texts in members that it does
// not know.
type Leaves struct {
	// IsQuiet reports whether the strings of a member are identifiers, enum values,
	// addresses or sealed data. Those are not shown to a detector and not edited, if
	// they are spelled like that ([IsPlain]): an edit would break the call, or a
	// signature.
	IsQuiet func(name string) bool
	// IsSealed reports whether the raw content of a string is data instead of text.
	IsSealed func(raw []byte) bool
}

// VisitTexts calls found with each text in the value that comes next: strings, and names of
// members that are not spelled like names. at is the content of its string. It looks into
// an object under a quiet name, because the properties of a schema can have any name. found
// must not retain name.
func (l *Leaves) VisitTexts(s *splice.Scanner, doc []byte, name string, found func(name string, at splice.Span)) {
	l.visitOrReadFile(s, doc, name, found, nil)
}

// visitOrReadFile is like Visit, but leaves out the strings that file takes. file is optional.
func (l *Leaves) visitOrReadFile(
	s *splice.Scanner, doc []byte, name string, found func(name string, at splice.Span), file func(name string, at splice.Span) bool,
) {
	if at, ok := s.KeySpan(); ok {
		visitName(doc, at, found)
	}
	l.visitElements(s, doc, name, found, file)
}

func (l *Leaves) visitElements(
	s *splice.Scanner, doc []byte, name string, found func(name string, at splice.Span), file func(name string, at splice.Span) bool,
) {
	switch s.Kind() {
	case splice.String:
		at, _ := s.String()
		if s.Err() != nil || at.Len() == 0 {
			return
		}
		raw := doc[at.Start:at.End]
		if file != nil && mayBeDataURL(raw) && file(name, at) {
			return
		}
		if !l.isHidden(name, raw) {
			found(name, at)
		}
	case splice.Object:
		s.Enter()
		for s.Next() {
			key := zerocopy.String(s.Key())
			if at, ok := s.KeySpan(); ok {
				visitName(doc, at, found)
			}
			l.visitElements(s, doc, key, found, file)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			l.visitElements(s, doc, name, found, file)
		}
	default:
		s.Skip()
	}
}

// visitName calls found with the name of a member unless it is plain.
func visitName(doc []byte, at splice.Span, found func(name string, at splice.Span)) {
	if !IsPlain(doc[at.Start:at.End]) {
		found(nameField, at)
	}
}

// nameField is what findings call the name of a member.
const nameField = "member_name"

// isHidden reports whether the content of a string is not for the guards.
func (l *Leaves) isHidden(name string, raw []byte) bool {
	if !l.IsQuiet(name) {
		return l.IsSealed(raw)
	}
	return IsPlain(raw) || l.IsSealed(raw) || isPlainURL(raw)
}

// Place is what the texts of a value have in common.
type Place struct {
	Role          core.Role
	Kind          core.SegmentKind
	Message, Part int32
}

// Add adds segments for the texts in the value that comes next.
func (l *Leaves) Add(p *core.Payload, s *splice.Scanner, doc []byte, name string, at Place) {
	l.VisitTexts(s, doc, name, func(name string, span splice.Span) {
		p.Segments = append(p.Segments, core.Segment{
			Role: at.Role, Kind: at.Kind, Depth: 1, Message: at.Message, Part: at.Part, Field: internName(p, name), Span: span,
		})
	})
}

// internName returns a copy of a name for the field of a segment. Texts of one name follow each other, such as the
// descriptions of tools: they share one copy.
func internName(p *core.Payload, name string) string {
	name = ShortenName(name)
	if n := len(p.Segments); n > 0 && p.Segments[n-1].Field == name {
		return p.Segments[n-1].Field
	}
	return strings.Clone(name)
}

// ShortenName cuts a name of a field, which the client chose, to 40 bytes for
// findings and logs.
func ShortenName(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	n := most
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// LongToken is the length from which a string of base64 is taken for encoded data
// instead of text.
const LongToken = 256

// IsSealed reports whether the raw content of a string is data: a data URL in
// base64, or a long run of base64.
func IsSealed(raw []byte) bool {
	if len(raw) > 5 && string(raw[:5]) == "data:" {
		raw = raw[5:]
		comma := bytes.IndexByte(raw, ',')
		return comma >= 0 && isDataHead(raw[:comma]) && comma+1 < len(raw) && isBase64(raw[comma+1:])
	}
	return IsLongBase64(raw)
}

// maxHead is more than any media type with its parameters has bytes.
const maxHead = 128

// isDataHead reports whether this is what stands between "data:" and the comma of a data URL in base64: a media type and
// parameters. Anything else could be a sentence that no guard would see.
func isDataHead(head []byte) bool {
	typ, ok := bytes.CutSuffix(head, []byte(";base64"))
	if !ok || len(typ) > maxHead {
		return false
	}
	for _, c := range typ {
		switch {
		case c-'a' < 26 || c-'A' < 26 || c-'0' < 10:
		case bytes.IndexByte([]byte(`/+-.;=\_`), c) >= 0: // a slash may be escaped in JSON
		default:
			return false
		}
	}
	return bytes.IndexByte(typ, '\\') < 0 || bytes.Count(typ, []byte(`\`)) == bytes.Count(typ, []byte(`\/`))
}

// IsLongBase64 reports whether the raw content of a string is a long run of base64.
func IsLongBase64(raw []byte) bool { return len(raw) > LongToken && isBase64(raw) }

// isBase64 reports whether raw holds nothing but letters of base64. The escape of
// a slash counts as one; any other escape could spell anything.
func isBase64(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && raw[i+1] == '/' {
			i++
		} else if !base64Bytes[raw[i]] {
			return false
		}
	}
	return true
}

// base64Bytes marks the letters of both base64 alphabets (RFC 4648).
var base64Bytes = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=" {
		t[c] = true
	}
	return t
}()
