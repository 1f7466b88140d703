package webhook

// Version is the version of the bodies, and part of what is signed.
const Version = 1

// Request is what the gateway asks: the texts of one exchange, or the next
// windows of one that streams. It holds no credential, and nothing of the
// caller but ids.
type Request struct {
	Version int `json:"version"`
	// Link is the name of the link in the gateway's chain.
	Link string `json:"link"`
	// Phase is request, target or response.
	Phase string `json:"phase"`
	// Stream is true when the answer is judged while it arrives.
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
	// Path is the text's place in the body; empty where the answer streams.
	Path string `json:"path,omitempty"`
	// Before is true when this is a window and more text stands before it. The
	// window starts with some of that text, so that nothing falls between two.
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

// Units. UTF16 is what strings in JavaScript, Java and C# count, Rune what those
// of Python do.
const (
	Byte  Unit = "byte" // bytes of UTF-8; also what an empty unit means
	UTF16 Unit = "utf16"
	Rune  Unit = "rune"
)

// Verdict is the receiver's reply.
type Verdict struct {
	Version int    `json:"version"`
	Action  Action `json:"action"`
	// Message is what the client reads when the exchange is blocked.
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
	// With is what takes the text's place when it is redacted. Without it the
	// gateway makes a placeholder of the label, which it can turn back later.
	With *string `json:"with,omitempty"`
}
