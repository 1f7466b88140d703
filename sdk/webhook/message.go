package webhook

// Version is the version of the bodies, and part of what is signed.
const Version = 1

// Request is a question of the gateway: the texts of one exchange, or the next windows of a stream. It contains no
// credential, and identifies the caller only by ids.
type Request struct {
	Version int `json:"version"`
	// Link is the name of the link in the gateway's chain.
	Link string `json:"link"`
	// Phase is request, target or response.
	Phase string `json:"phase"`
	// Stream is true if the answer is judged while it streams.
	Stream bool `json:"stream"`
	// Exchange is the gateway's id of the call; Tenant and Key are ids.
	Exchange string `json:"exchange"`
	Tenant   string `json:"tenant"`
	Key      string `json:"key"`
	// Shape is the client's API shape, Model the model as the client names it.
	Shape string `json:"shape"`
	Model string `json:"model"`
	// Provider and TargetModel are set from the phase target on.
	Provider    string `json:"provider,omitempty"`
	TargetModel string `json:"target_model,omitempty"`
	// Segments are the texts to judge.
	Segments []Segment `json:"segments"`
}

// Segment is one text, or one window of a longer one.
type Segment struct {
	// Role is system, user, assistant or tool.
	Role string `json:"role"`
	// Kind is text, tool_args, tool_result, reasoning, refusal, definition or other.
	Kind string `json:"kind"`
	// Path is the text's place in the body; empty for streams.
	Path string `json:"path,omitempty"`
	// Before is true if this is a window with more text before it. The window starts with the end of that text, so that no
	// match falls between two windows.
	Before bool   `json:"before,omitempty"`
	Text   string `json:"text"`
}

// Action is what a receiver decides.
type Action string

// Actions.
const (
	Pass   Action = "pass"   // nothing was found
	Flag   Action = "flag"   // the findings are recorded, and the text passes
	Redact Action = "redact" // the text of each finding is replaced
	Block  Action = "block"  // the exchange is refused
)

// Unit says what the offsets of findings count.
type Unit string

// The units. Strings in JavaScript, Java and C# count UTF16, strings in Python count Rune.
const (
	Byte  Unit = "byte" // bytes of UTF-8; the default
	UTF16 Unit = "utf16"
	Rune  Unit = "rune"
)

// Verdict is the receiver's reply.
type Verdict struct {
	Version int    `json:"version"`
	Action  Action `json:"action"`
	// Message is the text that the client receives if the exchange is blocked.
	Message string `json:"message,omitempty"`
	Unit    Unit   `json:"unit,omitempty"`
	// Findings are required with Flag and Redact, allowed with Block, and
	// refused with Pass.
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one thing found in one segment: the text from Start to End.
type Finding struct {
	Segment int `json:"segment"` // which of the request's segments, from 0
	Start   int `json:"start"`
	End     int `json:"end"`
	// Label is the kind of thing: a small letter, then up to 62 small letters,
	// digits and underscores.
	Label string `json:"label"`
	// Score is between 0 and 1; nil means 1.
	Score *float64 `json:"score,omitempty"`
	// With replaces the text if it is redacted. Without it the gateway creates a placeholder from the label, which it can
	// restore later.
	With *string `json:"with,omitempty"`
}
