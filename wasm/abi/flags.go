package abi

// Flags of hg_detect.
const (
	// DetectBefore means that other text precedes this one. Some of it is passed as context if there is any, so a detector that looks a
	// few characters back needs no special case.
	DetectBefore uint32 = 1 << 0
	// DetectAfter means that more text follows. The detector must not report a match that touches the end: the following text may extend
	// it or invalidate it. The host passes this text again with more text behind it.
	DetectAfter uint32 = 1 << 1
	// DetectCode means that the text is a block of code.
	DetectCode uint32 = 1 << 2
	// DetectSourceShift is the position of the source's eight bits.
	DetectSourceShift = 8
)

// Source is the origin of a text.
type Source uint8

// Sources. The zero value means that the host does not know the source.
const (
	SourceUnknown    Source = iota
	SourceSystem            // the system prompt
	SourceUser              // text of the user
	SourceAssistant         // text of the model
	SourceToolArgs          // arguments of a tool call: JSON text
	SourceToolResult        // result of a tool call
	SourceReasoning         // reasoning that is shown to the client
	SourceDefinition        // descriptions in tools and schemas
	SourceOther             // strings in fields that the client's shape does not define
)

var sources = [...]string{"unknown", "system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"}

func (s Source) String() string {
	if int(s) < len(sources) {
		return sources[s]
	}
	return sources[0]
}

// ParseSource returns the source with a name.
func ParseSource(name string) (Source, bool) {
	for i := 1; i < len(sources); i++ {
		if sources[i] == name {
			return Source(i), true
		}
	}
	return SourceUnknown, false
}

// WithSource adds a source to the flags of hg_detect.
func WithSource(flags uint32, s Source) uint32 { return flags | uint32(s)<<DetectSourceShift }

// SourceOf returns the source in the flags of hg_detect.
func SourceOf(flags uint32) Source { return Source(flags >> DetectSourceShift) }
