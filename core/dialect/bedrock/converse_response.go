package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// block is a block of an answer, with one field set. No client dialect can carry the
// other kinds, such as images.
type block struct {
	Text    *string `json:"text"`
	ToolUse *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	Reasoning *struct {
		Text *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		Redacted string `json:"redactedContent"`
	} `json:"reasoningContent"`
	Citations *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"citationsContent"`
}

// stop holds why an answer ended.
type stop struct {
	Reason     string `json:"stopReason"`
	Additional struct {
		Sequence string `json:"stop_sequence"`
	} `json:"additionalModelResponseFields"`
}

// DecodeResponse reads a whole answer.
func (ConverseWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var v struct {
		stop
		Output struct {
			Message *struct {
				Content []block `json:"content"`
			} `json:"message"`
		} `json:"output"`
		Usage *usage `json:"usage"`
	}
	if err := splice.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("the answer is not a Converse output: %w", err)
	}
	if v.Output.Message == nil {
		return nil, errors.New("the answer contains no message")
	}
	var a llm.Answer
	called, answer := false, -1
	for i := range v.Output.Message.Content {
		b := &v.Output.Message.Content[i]
		p, ok := b.convertToNeutral()
		if ok {
			if answer < 0 && b.isAnswer() {
				answer = len(a.Parts)
			}
			a.Parts = append(a.Parts, p)
		}
		called = called || p.Kind == llm.CallPart
	}
	if answer >= 0 {
		a.Parts = wire.DropTextsBeside(a.Parts, answer)
	}
	a.Finish, a.StopSequence = parseFinish(v.Reason, called), v.Additional.Sequence
	return &llm.Response{Choices: []llm.Answer{a}, Usage: v.Usage.convertToNeutral()}, nil
}

// isAnswer reports whether a block is the answer as the input of a tool.
func (b *block) isAnswer() bool { return b.ToolUse != nil && b.ToolUse.Name == answerTool }

func (b *block) convertToNeutral() (llm.Part, bool) {
	switch {
	case b.Text != nil:
		return llm.NewText(*b.Text), true
	case b.ToolUse != nil:
		input := string(compactInput(b.ToolUse.Input))
		if b.isAnswer() {
			return llm.NewText(input), true
		}
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: b.ToolUse.ID, Name: b.ToolUse.Name, Input: input}}, true
	case b.Reasoning != nil:
		g := &llm.Reasoning{Vendor: vendor, Encrypted: b.Reasoning.Redacted}
		if b.Reasoning.Text != nil {
			g.Text, g.Signature = b.Reasoning.Text.Text, b.Reasoning.Text.Signature
		}
		return llm.Part{Kind: llm.ReasoningPart, Reasoning: g}, true
	case b.Citations != nil:
		text := ""
		for _, c := range b.Citations.Content {
			text += c.Text
		}
		return llm.NewText(text), true
	}
	return llm.Part{}, false
}

// compactInput returns the input of a call as compact JSON.
func compactInput(input json.RawMessage) []byte {
	if len(input) == 0 || string(input) == "null" {
		return []byte("{}")
	}
	var b bytes.Buffer
	if json.Compact(&b, input) != nil {
		return input
	}
	return b.Bytes()
}
