package llm

import (
	"encoding/json"
	"slices"
)

// Number is a JSON number as it was spelled, so that it leaves as it came. ""
// means that none was given.
type Number string

// Request is one call, in no vendor's shape. What a shape cannot say is left at its zero value, which means "not set".
type Request struct {
	Model    string // the name that the provider is sent
	Messages []Message
	Tools    []Tool
	Choice   Choice
	Parallel *bool // several tool calls in one turn; optional

	MaxTokens                         int64 // reasoning included; 0: no limit
	Temperature, TopP, TopK           Number
	FrequencyPenalty, PresencePenalty Number
	Seed                              Number
	Count                             int // answers wanted; 0 is 1
	Stop                              []string
	Logprobs                          bool
	TopLogprobs                       Number

	Effort Effort
	// Thinking is extended thinking as the Messages shape spells it; nil if not asked
	// for. Only that shape can say it: other wires refuse it, see wire.RefuseThinking.
	Thinking json.RawMessage
	// Thoughts is true if a generateContent client asked to read the model's thoughts: that shape sends them only on
	// request.
	Thoughts  bool
	Verbosity string // low, medium, high
	CacheKey  string // groups requests that share a prompt cache
	User      string // the end user
	Format    *Format
	Stream    bool
	// StreamUsage is true when the client asked for the usage in the stream.
	StreamUsage bool

	// Extras are members that say nothing to the model, such as metadata. Only a shape of the same vendor takes them:
	// Decode lists them in Dropped as well, until KeepExtras.
	Extras []Extra

	// Dropped names what was left out on the way from one shape to the other, as
	// the client's shape spells it. It is counted and logged, never silent.
	Dropped []string
}

// Extra is a member of a request, its value as the client wrote it.
type Extra struct {
	Name  string
	Value json.RawMessage
}

// KeepExtras takes the extras off the list of what is dropped: the target takes them.
func (r *Request) KeepExtras() {
	r.Dropped = slices.DeleteFunc(r.Dropped, func(field string) bool {
		return slices.ContainsFunc(r.Extras, func(e Extra) bool { return e.Name == field })
	})
}

// RecordDropped notes that a field is left out.
func (r *Request) RecordDropped(field string) {
	for _, f := range r.Dropped {
		if f == field {
			return
		}
	}
	r.Dropped = append(r.Dropped, field)
}

// Effort is how hard a model is to reason.
type Effort string

// Efforts. The empty one means not set.
const (
	EffortNone    Effort = "none"
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
)

// Format asks for an answer that is JSON.
type Format struct {
	Name, Description string
	// Schema is the JSON Schema that the answer must meet; nil allows any JSON object.
	Schema json.RawMessage
	Strict *bool
}

// Tool is a tool that the caller runs.
type Tool struct {
	Kind ToolKind
	// Namespace is the group that the tool was declared in; see Lower.
	Namespace         string
	Name, Description string
	// Schema is the JSON Schema of the arguments of a function. Optional.
	Schema json.RawMessage
	Strict *bool
	// Grammar constrains the free text of a custom tool; nil allows any text.
	Grammar *Grammar
}

// ToolKind says what a tool takes.
type ToolKind uint8

// Kinds of tools.
const (
	FunctionTool ToolKind = iota // JSON
	CustomTool                   // free text
	SearchTool                   // client-run tool_search of the Responses shape
)

// Grammar is the syntax of a custom tool's input.
type Grammar struct {
	Syntax     string // "lark" or "regex"
	Definition string
}

// FilterTools returns the tools with these names, as a new list. Both lists are the client's and may be long, so that it
// looks names up instead of comparing each with each.
func FilterTools(tools []Tool, names []string) []Tool {
	named := make(map[string]bool, len(names))
	for _, name := range names {
		named[name] = true
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return !named[t.Name] })
}

// Choice says whether tools are to be called.
type Choice struct {
	Mode  ChoiceMode
	Names []string // ChooseNamed: one of these, as they stand in Tools, namespaces joined as Lower joins them
}

// ChoiceMode is the manner of a Choice.
type ChoiceMode uint8

// Modes of choice. The zero value means not set.
const (
	ChooseUnsaid   ChoiceMode = iota
	ChooseAuto                // the model decides
	ChooseNone                // no call
	ChooseRequired            // at least one call
	ChooseNamed               // a call of one of Names
)
