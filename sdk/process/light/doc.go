// Package light is what a process plugin needs, on the standard library alone: the protocol of docs/process-plugins.md over HTTP/2. A
// plugin that imports nothing else builds without the network. For state, and for stages of the gateway itself, see package process.
package light

// Hello describes the plugin and what it wants to see.
type Hello struct {
	Name, Version string
	Phases        []Phase
	Fields        []string // of Exchange in process.proto: model, tenant, …
	Texts         []string // user, assistant, …
	// StreamBytes is the least new text, in bytes, for which the gateway sends a window.
	StreamBytes uint32
}

// Phase is a point of the flow.
type Phase uint32

// Phases.
const (
	Request  Phase = 1
	Target   Phase = 2
	Response Phase = 3
)

// Segment is one run of text.
type Segment struct {
	Role, Kind uint32 // as in process.proto
	Joined     bool   // it continues the segment before it
	Path, Text string
}

// Check asks for the verdict on a whole request or answer.
type Check struct {
	Phase    Phase
	Fields   map[string]string // the granted fields, by name; numbers as text
	Tools    []string          // the field tools
	Segments []Segment
	Kept     []byte // Keep of the last verdict on this exchange
}

// Window holds text of a streamed answer: Text[:Sent] was sent, Text[Sent:Fresh] is held, and the rest is new.
type Window struct {
	Kind        uint32
	Text        string
	Sent, Fresh int
	Last        bool // the part ends here
}

// Action is what a plugin decides.
type Action uint32

// Actions.
const (
	Pass    Action = 1
	Rewrite Action = 2
	Answer  Action = 3 // request only
	Block   Action = 4
)

// Finding is evidence. Offsets count bytes.
type Finding struct {
	Segment, Start, End uint32
	Label               string
}

// Edit replaces a span of text: by With, or by a placeholder of Type, from which the gateway restores the text.
type Edit struct {
	Segment, Start, End uint32
	With, Type          string
}

// Verdict is a plugin's answer.
type Verdict struct {
	Action   Action
	Findings []Finding
	Edits    []Edit
	Message  string // with Block: what the client is told
	Reply    string // with Answer: the text of the reply
	Keep     []byte
	Hold     uint32 // of a window: bytes at its end that must wait for more text
}

// Plugin is a guard. Calls run concurrently. An error fails a call, which is then refused unless the link says otherwise.
type Plugin interface {
	Hello() Hello
	// Configure takes the link's settings as JSON; empty without settings. An error refuses them.
	Configure(config []byte) error
	Check(c *Check) (Verdict, error)
}

// Streamer is a plugin that judges answers while they stream. Without it a stream is a fault of a plugin with the phase Response.
type Streamer interface {
	Plugin
	// Window judges new text of a part. Its edits lie behind Sent and before the text that it holds; their Segment is 0.
	Window(w *Window) (Verdict, error)
}
