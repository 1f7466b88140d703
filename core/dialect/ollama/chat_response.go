package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// answer is a whole answer, or a line of a streamed one.
type answer struct {
	Model   string   `json:"model"`
	Created string   `json:"created_at"`
	Message *message `json:"message"`
	Done    bool     `json:"done"`
	Reason  string   `json:"done_reason"`
	Input   *int64   `json:"prompt_eval_count"`
	Output  *int64   `json:"eval_count"`

	Logprobs []logprob `json:"logprobs"`

	Error  string `json:"error"`
	Status int    `json:"status"` // of the error
}

type message struct {
	Content  string `json:"content"`
	Thinking string `json:"thinking"`
	Calls    []call `json:"tool_calls"`
}

type call struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// encodeArguments returns the arguments, which are an object, as JSON text.
func (c *call) encodeArguments() string {
	if a := string(c.Function.Arguments); a != "" && a != "null" {
		return a
	}
	return "{}"
}

// makeID returns the id of the n-th call of an answer. Older servers send none; then it is
// derived from the call and its time, so that ids of other turns differ.
func (a *answer) makeID(c *call, n int) string {
	if c.ID != "" {
		return c.ID
	}
	h := fnv.New64a()
	for _, s := range []string{a.Model, a.Created, c.Function.Name, string(c.Function.Arguments)} {
		_, _ = h.Write([]byte(s)) // a hash does not fail
	}
	return "call_" + strconv.FormatUint(h.Sum64(), 36) + "_" + strconv.Itoa(n)
}

func newThoughtPart(text string) llm.Part {
	return llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: text}}
}

// parseCreated returns the time in Unix seconds, or 0 if it is invalid.
func (a *answer) parseCreated() int64 {
	t, err := time.Parse(time.RFC3339Nano, a.Created)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// convertUsage returns the usage, which is reported if one count is present: a cached prompt
// has no count.
func (a *answer) convertUsage() (u llm.Usage) {
	if a.Input != nil {
		u.Input, u.Reported = *a.Input, true
	}
	if a.Output != nil {
		u.Output, u.Reported = *a.Output, true
	}
	return u
}

// DecodeResponse reads a whole answer.
func (ChatWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var v answer
	if err := splice.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("the answer is not a chat answer: %w", err)
	}
	switch {
	case v.Error != "":
		return nil, fmt.Errorf("the answer is an error: %s", v.Error)
	case v.Message == nil:
		return nil, errors.New("the answer contains no message")
	case !v.Done:
		return nil, errors.New("the answer is not done")
	}
	m := v.Message
	a := llm.Answer{Finish: parseFinish(v.Reason, len(m.Calls) > 0), Logprobs: convertLogprobs(v.Logprobs)}
	if m.Thinking != "" {
		a.Parts = append(a.Parts, newThoughtPart(m.Thinking))
	}
	if m.Content != "" || m.Thinking == "" && len(m.Calls) == 0 {
		a.Parts = append(a.Parts, llm.NewText(m.Content))
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		a.Parts = append(a.Parts, llm.Part{Kind: llm.CallPart, Call: &llm.Call{
			ID: v.makeID(c, i), Name: c.Function.Name,
			Input: c.encodeArguments(),
		}})
	}
	return &llm.Response{Model: v.Model, Created: v.parseCreated(), Choices: []llm.Answer{a}, Usage: v.convertUsage()}, nil
}

// token is a token and its log probability, like that of chat.
type token struct {
	Token   string      `json:"token"`
	Logprob json.Number `json:"logprob"`
	Bytes   []int       `json:"bytes"`
}

type logprob struct {
	token
	Top []token `json:"top_logprobs"`
}

// convertLogprobs returns chat's logprobs object, which requires all members.
func convertLogprobs(from []logprob) json.RawMessage {
	if len(from) == 0 {
		return nil
	}
	for i := range from {
		if from[i].Top == nil {
			from[i].Top = []token{}
		}
	}
	raw, err := json.Marshal(struct {
		Content []logprob `json:"content"`
	}{from})
	if err != nil {
		return nil
	}
	return raw
}
