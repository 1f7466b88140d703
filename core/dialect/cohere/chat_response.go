package cohere

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// call is a tool call; in a stream, a part of one.
type call struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// content is a block of an answer.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

// DecodeResponse reads a whole answer. It skips citations: no client dialect sends
// documents to cite.
func (ChatWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var v struct {
		ID      string `json:"id"`
		Finish  string `json:"finish_reason"`
		Message *struct {
			Plan    string    `json:"tool_plan"`
			Content []content `json:"content"`
			Calls   []call    `json:"tool_calls"`
		} `json:"message"`
		Usage    *usage    `json:"usage"`
		Logprobs []logprob `json:"logprobs"`
	}
	if err := splice.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("the answer is not a chat answer: %w", err)
	}
	if v.Message == nil {
		return nil, errors.New("the answer contains no message")
	}
	why, failed := parseFinish(v.Finish)
	if failed {
		return nil, fmt.Errorf("the answer ended with %s", v.Finish)
	}
	a := llm.Answer{Finish: why, Logprobs: convertLogprobs(v.Logprobs)}
	if v.Message.Plan != "" {
		a.Parts = append(a.Parts, newThoughtPart(plan, v.Message.Plan))
	}
	for _, c := range v.Message.Content {
		switch c.Type {
		case "thinking":
			a.Parts = append(a.Parts, newThoughtPart("", c.Thinking))
		case "text":
			a.Parts = append(a.Parts, llm.NewText(c.Text))
		}
	}
	for i := range v.Message.Calls {
		c := &v.Message.Calls[i]
		args := c.Function.Arguments
		if args == "" {
			args = "{}"
		}
		a.Parts = append(a.Parts, llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: c.ID, Name: c.Function.Name, Input: args}})
	}
	return &llm.Response{ID: v.ID, Choices: []llm.Answer{a}, Usage: v.Usage.convertToNeutral()}, nil
}

func newThoughtPart(id, text string) llm.Part {
	return llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, ID: id, Text: text}}
}

// logprob is the log probability of a piece of text, which can be several tokens.
type logprob struct {
	Text     string    `json:"text"`
	Logprobs []float64 `json:"logprobs"`
}

// convertLogprobs returns chat's logprobs object. A piece counts as one token whose log
// probability is the sum of its tokens'.
func convertLogprobs(from []logprob) json.RawMessage {
	if len(from) == 0 {
		return nil
	}
	type token struct {
		Token   string     `json:"token"`
		Logprob float64    `json:"logprob"`
		Bytes   []int      `json:"bytes"`
		Top     []struct{} `json:"top_logprobs"`
	}
	to := struct {
		Content []token `json:"content"`
	}{make([]token, len(from))}
	for i, l := range from {
		t := token{Token: l.Text, Top: []struct{}{}}
		for _, p := range l.Logprobs {
			t.Logprob += p
		}
		for _, c := range []byte(l.Text) {
			t.Bytes = append(t.Bytes, int(c))
		}
		to.Content[i] = t
	}
	raw, err := json.Marshal(to)
	if err != nil {
		return nil // a sum beyond all numbers
	}
	return raw
}
