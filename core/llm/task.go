package llm

// Task says what a request wants of a model.
type Task uint8

// Tasks.
const (
	TaskAnswer     Task = iota // an answer in words
	TaskEmbed                  // embeddings: nothing is written
	TaskCount                  // a number of tokens: nothing is used up
	TaskTool                   // a message to an MCP server: the gateway calls no model
	TaskAgent                  // a request to another agent: the gateway calls no model
	TaskRank                   // an order of documents
	TaskModerate               // categories of what is harmful
	TaskDraw                   // pictures
	TaskSpeak                  // sound that is spoken
	TaskTranscribe             // the text of sound
	TaskTalk                   // an answer in words and sound, in a session
	TaskCompact                // a shorter form of a conversation, which only its provider can read
)

// taskNames are the words for tasks that plugins read.
var taskNames = [...]string{
	TaskAnswer: "answer", TaskEmbed: "embed", TaskCount: "count", TaskTool: "tool", TaskAgent: "agent", TaskRank: "rank",
	TaskModerate: "moderate", TaskDraw: "draw", TaskSpeak: "speak", TaskTranscribe: "transcribe", TaskTalk: "talk",
	TaskCompact: "compact",
}

// String returns the word for the task that plugins read.
func (t Task) String() string { return taskNames[t] }

// FindTask returns the task that a word stands for; an unknown word stands for TaskAnswer.
func FindTask(name string) Task {
	for t, n := range taskNames {
		if n == name {
			return Task(t)
		}
	}
	return TaskAnswer
}

// IsBounded reports whether the scan of a request sets the most that a call can use (core.Head.MaxUsage). For other tasks the
// length of the request and the limit of the answer determine it.
func (t Task) IsBounded() bool { return t >= TaskRank && t != TaskCompact }

// IsRepeatable reports whether the answer to an equal request can be reused: it is neither sound nor a picture nor sealed, and
// the request has no effects.
func (t Task) IsRepeatable() bool { return !t.IsPeer() && t < TaskDraw }

// IsPeer reports whether the request is for an MCP server or an agent instead of a model. It has a price per call and
// uses no tokens.
func (t Task) IsPeer() bool { return t == TaskTool || t == TaskAgent }

// FormatKind says how strict a client is about the form of the answer.
type FormatKind uint8

// Kinds of formats.
const (
	FormatText FormatKind = iota
	FormatJSON
	FormatSchema
)
