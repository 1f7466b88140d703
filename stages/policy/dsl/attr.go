package dsl

import "math/bits"

// Attr is one input of a rule.
type Attr uint8

// The inputs.
const (
	Model Attr = iota
	Provider
	Region
	TenantID
	TenantMetadata
	KeyID
	KeyScopes
	KeyTags
	KeyMetadata
	KeyExpiry
	User
	Shape
	Streaming
	HasTools
	HasImages
	HasFiles
	Effort
	Temperature
	AnswerSchema
	ToolNames
	ToolTypes
	ToolCount
	ToolName
	ToolServer
	ToolAnnotations
	ToolArgs
	ToolOffered
	ToolRequested
	AgentName
	AgentMethod
	MessageCount
	SystemMissing
	PromptTokens
	MaxTokens
	MaxTokensMissing
	ContextWindow
	Cost
	BudgetPct
	BudgetExceeded
	Clock
	Headers
	Metadata
	PIITypes
	PIICount
	PIIConfidence
	DetectorLabels
	DetectorScore
	FinishReason
	ResponseTokens
	ResponsePII
	SchemaInvalid
	attrs // their number
)

func (a Attr) String() string {
	if a < attrs {
		return inputs[a].name
	}
	return ""
}

// Attrs is a set of inputs.
type Attrs uint64

// NewAttrSet returns a set.
func NewAttrSet(list ...Attr) (s Attrs) {
	for _, a := range list {
		s |= 1 << a
	}
	return s
}

// Sets of related inputs.
const (
	// AllAttrs is every input.
	AllAttrs Attrs = 1<<attrs - 1
	// Contents are what the detectors find in a request.
	Contents = Attrs(1)<<PIITypes | 1<<PIICount | 1<<PIIConfidence | 1<<DetectorLabels | 1<<DetectorScore
	// Targets are known when a provider is chosen.
	Targets = Attrs(1)<<Provider | 1<<Region
	// Answers are known when there is an answer.
	Answers = Attrs(1)<<FinishReason | 1<<ResponseTokens | 1<<ResponsePII | 1<<SchemaInvalid
	// FromBody are read from the request's body if rules need them.
	FromBody = Attrs(1)<<HasFiles | 1<<Temperature | 1<<ToolTypes | 1<<SystemMissing | 1<<Metadata
)

// Has reports whether a is in the set.
func (s Attrs) Has(a Attr) bool { return s&(1<<a) != 0 }

// List returns the inputs of the set, in the order of their declaration.
func (s Attrs) List() []Attr {
	out := make([]Attr, 0, bits.OnesCount64(uint64(s)))
	for ; s != 0; s &= s - 1 {
		out = append(out, Attr(bits.TrailingZeros64(uint64(s))))
	}
	return out
}

// Names returns the names of the inputs of the set.
func (s Attrs) Names() []string {
	out := []string{}
	for _, a := range s.List() {
		out = append(out, a.String())
	}
	return out
}
