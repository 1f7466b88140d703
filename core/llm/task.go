package llm

// Task says what a request wants of a model.
type Task uint8

// Tasks.
const (
	TaskAnswer Task = iota // an answer in words
	TaskEmbed              // embeddings: nothing is written
	TaskCount              // a number of tokens: nothing is used up
	TaskTool               // a message to a server of agents' tools: no model is asked
)

// FormatKind says how strict a client is about the form of the answer.
type FormatKind uint8

// Kinds of formats.
const (
	FormatText FormatKind = iota
	FormatJSON
	FormatSchema
)
