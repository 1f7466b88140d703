package core

import "github.com/headgate-dev/headgate/core/body/payload"

// The texts of a body, as package payload defines them. Stages need no other import.
type (
	// Payload is a body and what was found in it.
	Payload = payload.Payload
	// Segment is one run of text in a body.
	Segment = payload.Segment
	// SegmentKind is the kind of a segment.
	SegmentKind = payload.SegmentKind
	// Role is the author of a segment.
	Role = payload.Role
	// Run is text that is scanned as one: a segment, or adjacent text parts of one message.
	Run = payload.Run
	// Edit replaces bytes of a segment's decoded text.
	Edit = payload.Edit
	// Repetition is a value that repeats the text of a message or choice in another form.
	Repetition = payload.Repetition
)

// Roles.
const (
	RoleSystem    = payload.RoleSystem
	RoleUser      = payload.RoleUser
	RoleAssistant = payload.RoleAssistant
	RoleTool      = payload.RoleTool
)

// Kinds of segments.
const (
	KindText       = payload.KindText
	KindToolArgs   = payload.KindToolArgs
	KindToolResult = payload.KindToolResult
	KindReasoning  = payload.KindReasoning
	KindRefusal    = payload.KindRefusal
	KindDefinition = payload.KindDefinition
	KindOther      = payload.KindOther
)
