package payload

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Role says who a segment speaks for.
type Role uint8

// Roles. The numbers are part of the plugin ABI.
const (
	_ Role = iota
	RoleSystem
	RoleUser
	RoleAssistant
	RoleTool
)

// SegmentKind says what a segment is.
type SegmentKind uint8

// Kinds of segments. The numbers are part of the plugin ABI.
const (
	_              SegmentKind = iota
	KindText                   // text of a message
	KindToolArgs               // arguments of a tool call: JSON text
	KindToolResult             // what a tool gave back
	KindReasoning              // reasoning that is shown to the client
	KindRefusal                // the model's refusal
	KindDefinition             // descriptions in tools and schemas
	KindOther                  // strings in fields that the dialect does not know
)

// Segment is one run of text: a message part, a tool argument, a tool result,
// a system text.
type Segment struct {
	Role Role
	Kind SegmentKind
	// Depth counts the string escapes around the text: 0 when the segment is
	// raw JSON in the document, 1 for a JSON string.
	Depth uint8
	// Joined marks text that continues the segment before it: adjacent text
	// parts of one message, which a model reads as one.
	Joined bool
	// Bare marks a number that stands in JSON without quotes: an edit replaces
	// it by a string.
	Bare bool
	// Base64 marks a file of text: Span holds its bytes in base64, or a data URL with
	// them. An edit encodes the whole file again.
	Base64 bool
	// Message, Part and Field say where the segment stands; see Path.
	Message, Part int32
	Field         string
	// Span is where the raw bytes lie; for strings, without the quotes.
	Span splice.Span

	text    string
	decoded bool
	// escapes are the places at which the escapes in Span begin; nil if unknown.
	escapes []uint32

	ahead   bool // the body does not spell text yet, or there is no body
	summed  bool
	spelled bool // sum follows from the bytes of the body and the edits since
	sum     Sum
}

// Path names the segment's place in the body, for findings and logs.
func (s *Segment) Path() string {
	b := make([]byte, 0, 48)
	if s.Message >= 0 {
		b = append(b, "messages["...)
		b = strconv.AppendInt(b, int64(s.Message), 10)
		b = append(b, ']')
		if s.Field != "" {
			b = append(b, '.')
		}
	}
	b = append(b, s.Field...)
	if s.Part >= 0 {
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(s.Part), 10)
		b = append(b, ']')
	}
	return string(b)
}

// unquote makes an ordinary string of a number that an edit has put into quotes, so that a
// later phase sees its text without them.
func (s *Segment) unquote() {
	quote := 1 << s.Depth // each level of escapes doubles it
	s.Span.Start += quote
	s.Span.End -= quote
	s.Depth++
	s.Bare = false
}
