package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

var errNoMessage = errors.New("the answer is not a message")

// finishes maps stop reasons. pause_turn concerns tools that run at the provider;
// without them it is a normal end.
var finishes = map[string]llm.Finish{
	"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "pause_turn": llm.FinishStop,
	"max_tokens": llm.FinishLength, "model_context_window_exceeded": llm.FinishLength,
	"tool_use": llm.FinishTools, "refusal": llm.FinishRefusal,
}

// answer is the body of a whole answer.
type answer struct {
	Type         string          `json:"type"`
	ID           string          `json:"id"`
	Model        string          `json:"model"`
	Content      []answerBlock   `json:"content"`
	StopReason   string          `json:"stop_reason"`
	StopSequence string          `json:"stop_sequence"`
	StopDetails  refusal         `json:"stop_details"`
	Usage        json.RawMessage `json:"usage"`
}

type answerBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
}

// refusal holds why a model declined.
type refusal struct {
	Explanation string `json:"explanation"`
}

// DecodeResponse reads a whole answer. It skips citations, which the neutral model
// lacks, and blocks of provider tools, which are never requested.
func (MessagesWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var v answer
	if err := splice.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if v.Type != "message" {
		return nil, errNoMessage
	}
	a := llm.Answer{Finish: finishes[v.StopReason], StopSequence: v.StopSequence}
	calls, answer := 0, -1
	for i := range v.Content {
		b := &v.Content[i]
		p, ok := b.decodePart()
		if !ok {
			continue
		}
		if p.Kind == llm.CallPart {
			calls++
		}
		if answer < 0 && b.isAnswer() {
			answer = len(a.Parts)
		}
		a.Parts = append(a.Parts, p)
	}
	if answer >= 0 {
		a.Parts = wire.DropTextsBeside(a.Parts, answer)
	}
	if a.Finish == llm.FinishTools && calls == 0 { // the only call was the answer
		a.Finish = llm.FinishStop
	}
	if a.Finish == llm.FinishRefusal && v.StopDetails.Explanation != "" {
		a.Parts = append(a.Parts, llm.Part{Kind: llm.RefusalPart, Text: v.StopDetails.Explanation})
	}
	r := &llm.Response{ID: v.ID, Model: v.Model, Choices: []llm.Answer{a}}
	if len(v.Usage) > 0 {
		var s splice.Scanner
		var t tokens
		s.Reset(v.Usage)
		t.read(&s, v.Usage)
		r.Usage = t.convertUsage()
	}
	return r, nil
}

// isAnswer reports whether a block is the answer as the input of a tool.
func (b *answerBlock) isAnswer() bool { return b.Type == "tool_use" && b.Name == answerTool }

func (b *answerBlock) decodePart() (p llm.Part, ok bool) {
	switch b.Type {
	case "text":
		return llm.NewText(b.Text), true
	case "thinking":
		return llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: b.Thinking, Signature: b.Signature}}, true
	case "redacted_thinking":
		return llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Encrypted: b.Data}}, true
	case "tool_use":
		input := string(bytes.TrimSpace(b.Input))
		if input == "" || input == "null" {
			input = "{}"
		}
		if b.isAnswer() {
			return llm.NewText(input), true
		}
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: b.ID, Name: b.Name, Input: input}}, true
	}
	return p, false
}
