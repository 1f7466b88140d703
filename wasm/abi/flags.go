package abi

// Flags of hg_detect.
const (
	// DetectBefore says that other text stands before this one. Some of it is
	// given as context where there is any, so a detector that looks a few
	// characters back needs no special case.
	DetectBefore uint32 = 1 << 0
	// DetectAfter says that more text will follow. A match that touches the end
	// must not be reported: what follows may make it longer, or no match at
	// all. It is asked for again with more text.
	DetectAfter uint32 = 1 << 1
	// DetectCode says that the text is a block of code.
	DetectCode uint32 = 1 << 2
	// DetectSourceShift is where the source's eight bits begin.
	DetectSourceShift = 8
)

// Source says where a text comes from.
type Source uint8

// Sources. The zero value means that the host does not know.
const (
	SourceUnknown    Source = iota
	SourceSystem            // the system prompt
	SourceUser              // what the user wrote
	SourceAssistant         // what the model wrote
	SourceToolArgs          // arguments of a tool call: JSON text
	SourceToolResult        // what a tool gave back
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

// ParseSource finds a source by its name.
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

// SourceOf takes the source out of the flags of hg_detect.
func SourceOf(flags uint32) Source { return Source(flags >> DetectSourceShift) }
