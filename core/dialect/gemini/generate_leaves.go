package gemini

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// quiet are the names of fields whose strings are identifiers, enum values,
// addresses or sealed data, in camel case. They are never shown to a detector and
// never edited: an edit would break the call, or a signature.
var quiet = map[string]bool{
	"id": true, "name": true, "role": true, "type": true, "format": true, "model": true, "mode": true, "behavior": true,
	"allowedFunctionNames": true, "scheduling": true, "thoughtSignature": true, "mimeType": true, "data": true, "fileUri": true,
	"level": true, "language": true, "languageCode": true, "outcome": true, "category": true, "threshold": true, "method": true,
	"responseMimeType": true, "responseModalities": true, "mediaResolution": true, "voiceName": true, "aspectRatio": true,
	"imageSize": true, "thinkingLevel": true, "serviceTier": true, "cachedContent": true, "startOffset": true, "endOffset": true,
	"propertyOrdering": true, "required": true, "enum": true, "const": true, "pattern": true, "$ref": true, "$schema": true,
	"$id": true, "$anchor": true, "ref": true, "defs": true, "uri": true, "toolType": true,
}

// longToken is the length from which a string without a space is taken for
// encoded data rather than text.
const longToken = 256

// place says where the strings of a value stand.
type place struct {
	role          core.Role
	kind          core.SegmentKind
	message, part int32
}

// leaves makes segments of the strings in a value whose meaning is not known,
// but for those under quiet names. An object under such a name is looked into:
// a schema's properties have any names.
func leaves(p *core.Payload, s *splice.Scanner, doc []byte, name string, at place) {
	switch s.Kind() {
	case splice.String:
		span, _ := s.String()
		if s.Err() != nil || span.Len() == 0 || quiet[camel(name)] || sealed(doc[span.Start:span.End]) {
			return
		}
		p.Segments = append(p.Segments, core.Segment{
			Role: at.role, Kind: at.kind, Depth: 1, Message: at.message, Part: at.part, Field: short(name), Span: span,
		})
	case splice.Object:
		s.Enter()
		for s.Next() {
			leaves(p, s, doc, string(s.Key()), at)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			leaves(p, s, doc, name, at)
		}
	default:
		s.Skip()
	}
}

// short keeps names of fields short in findings; they are the client's words.
func short(name string) string {
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

// sealed reports whether a string is data rather than text: a long run of
// nothing but the letters of base64.
func sealed(raw []byte) bool {
	if len(raw) <= longToken {
		return false
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '+', c == '/', c == '-', c == '_', c == '=':
		case c == '\\' && i+1 < len(raw) && raw[i+1] == '/':
			i++
		default:
			return false
		}
	}
	return true
}
