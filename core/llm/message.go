package llm

import "strings"

// Role says who speaks.
type Role uint8

// Roles. A developer message is a system message.
const (
	_ Role = iota
	System
	User
	Assistant
	// ToolRole is a message that holds results of tools, and nothing else.
	ToolRole
)

// Message is one turn, or a part of one: shapes cut turns differently, so
// messages of one role may follow each other.
type Message struct {
	Role  Role
	Name  string // of the participant
	Parts []Part
}

// Text is the text of the message's parts, one after the other.
func (m *Message) Text() string {
	var b strings.Builder
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == TextPart {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// PartKind says what a part is, and which of its fields are set.
type PartKind uint8

// Kinds of parts.
const (
	_             PartKind = iota
	TextPart               // Text
	ImagePart              // Image
	CallPart               // Call: assistant only
	ResultPart             // Result: ToolRole only
	ReasoningPart          // Reasoning: assistant only
	RefusalPart            // Text: assistant only
)

// Part is a piece of a message or an answer.
type Part struct {
	Kind      PartKind
	Text      string
	Image     *Image
	Call      *Call
	Result    *Result
	Reasoning *Reasoning
}

// NewText makes a text part.
func NewText(s string) Part { return Part{Kind: TextPart, Text: s} }

// Image is a picture: by URL, or by value.
type Image struct {
	URL       string // http or https; "" when Data is set
	MediaType string // of Data: "image/png"
	Data      string // base64, as sent
	Detail    string // low, high, auto
}

// Call is a model's call of a tool.
type Call struct {
	ID        string // "" where a shape has none
	Namespace string
	Name      string
	Kind      ToolKind
	// Input is JSON text for a function, as the model wrote it, and free text for a custom tool.
	Input string
	// Signature goes back to the vendor with the call: a thought signature.
	Signature string
}

// Result is what a tool gave back.
type Result struct {
	CallID string
	Name   string // of the tool; "" where a shape does not repeat it
	Kind   ToolKind
	Parts  []Part // text and images
	Failed bool   // the tool reports an error
}

// Reasoning is what a model thought. Vendors sign or encrypt it, so it only goes
// back to the vendor that it came from.
type Reasoning struct {
	Vendor    string // whose: the name of the wire shape's vendor, "anthropic"
	ID        string
	Text      string // readable; a summary where the vendor gives only that
	Signature string
	Encrypted string // unreadable reasoning in place of Text
}
