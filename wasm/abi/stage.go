package abi

// Level is the importance of a line that a guest logs.
type Level uint32

// Levels of log lines. The zero value is treated as LevelInfo.
const (
	_ Level = iota
	LevelDebug
	LevelInfo
	LevelWarn
	LevelError
)

// Phases, as hg_stage gets them.
const (
	PhaseRequest   uint32 = 1
	PhaseTarget    uint32 = 2
	PhaseResponse  uint32 = 3
	PhaseStreamEnd uint32 = 4
	PhaseFinish    uint32 = 5
)

// Results of hg_stage.
const (
	StageDone   uint32 = 0 // the verdict was given through imports; none given: pass
	StageFailed uint32 = 1
)

// Operations of hg_stream, in bits 0-3 of its flags. Bits 8-15 hold the source,
// as for hg_detect.
const (
	// StreamOpen begins a part; handle is the host's and names it from here on.
	// The low half of the result is 0, or 1 when the guest does not want to see
	// this part.
	StreamOpen uint32 = 1
	// StreamPush shows text that follows what was shown before. The result is
	// ptr<<32 | bytes of span records whose offsets count from the beginning of
	// the part's text that is still held.
	StreamPush uint32 = 2
	// StreamClose ends the part; the result is that of a last StreamPush.
	StreamClose uint32 = 3
	// StreamOpMask takes the operation out of the flags.
	StreamOpMask uint32 = 0xF
)

// Field names a value of the exchange that a stage may ask for. The numbers are
// fixed; a host answers 0xFFFFFFFF, as a length, for one it does not know.
type Field uint32

// Fields.
const (
	_              Field = iota
	FieldModel           // as the client spells it
	FieldTenant          // id
	FieldKeyID           // id of the key
	FieldKeyName         // its name
	FieldUser            // the end user, as the client names him
	FieldDialect         // the client's shape: openai.chat
	FieldRoute           // the route that was chosen
	FieldProvider        // provider of the target
	FieldTarget          // the provider's name of the model
	FieldRegion          // region of the target
	FieldStream          // "1" when the answer is streamed
	FieldMaxTokens       // the client's limit, decimal; empty: none
	FieldEffort          // reasoning effort
	FieldExchange        // id of the exchange
	FieldTrace           // X-Trace-ID
	FieldParams          // JSON: the parameters of the call
	FieldTools           // JSON: the tools offered
	FieldMetadata        // JSON: the client's metadata
	FieldScopes          // JSON: scopes of the key
	FieldStatus          // HTTP status of the answer, decimal
	FieldUsage           // JSON: tokens, when they are known
)

// Roles of segments.
const (
	RoleSystem    uint8 = 1
	RoleUser      uint8 = 2
	RoleAssistant uint8 = 3
	RoleTool      uint8 = 4
)

// Kinds of segments.
const (
	SegText       uint8 = 1
	SegToolArgs   uint8 = 2
	SegToolResult uint8 = 3
	SegReasoning  uint8 = 4
	SegRefusal    uint8 = 5
	SegDefinition uint8 = 6
	SegOther      uint8 = 7
)
