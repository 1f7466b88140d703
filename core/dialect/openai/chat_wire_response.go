package openai

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// DecodeResponse reads a chat completion.
func (ChatWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var s splice.Scanner
	if err := scan.OpenObject(&s, body, errAnswerNotObject); err != nil {
		return nil, err
	}
	a, failed := &llm.Response{}, false
	for s.Next() {
		switch string(s.Key()) {
		case "id":
			a.ID = scan.ReadText(&s, body)
		case "model":
			a.Model = scan.ReadText(&s, body)
		case "created":
			a.Created = scan.ReadCount(&s, body)
		case "choices":
			readChatChoices(&s, body, a)
		case "usage":
			if u, ok := readUsage(&s, body); ok {
				a.Usage = u
			}
		case "error":
			failed = s.Kind() != splice.Null
			s.Skip()
		default:
			s.Skip()
		}
	}
	s.End()
	switch err := s.Err(); {
	case err != nil:
		return nil, err
	case failed && len(a.Choices) == 0:
		code, message := ChatWire{}.ReadError(body)
		return nil, fmt.Errorf("the answer is an error: %s: %s", code, message)
	case len(a.Choices) == 0:
		return nil, errors.New("the answer contains no choices")
	}
	return a, nil
}

func readChatChoices(s *splice.Scanner, doc []byte, a *llm.Response) {
	if s.Kind() != splice.Array {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		if s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		c, said := llm.Answer{}, chatPieces{}
		s.Enter()
		for s.Next() {
			switch string(s.Key()) {
			case "message":
				said.read(s, doc)
			case "finish_reason":
				c.Finish = parseFinish(scan.ReadText(s, doc))
			case "logprobs":
				isNull := s.Kind() == splice.Null
				if at := s.Skip(); !isNull {
					c.Logprobs = json.RawMessage(string(doc[at.Start:at.End]))
				}
			case "stop_reason": // vLLM: the stop sequence or null
				c.StopSequence = scan.ReadText(s, doc)
			default:
				s.Skip()
			}
		}
		c.Parts = said.decodeParts()
		c.Finish = correctFinish(c.Finish, said.refusal != "", len(said.calls) > 0)
		a.Choices = append(a.Choices, c)
	}
}

// decodeParts returns the parts of a whole message.
func (c *chatPieces) decodeParts() (ps []llm.Part) {
	if c.thoughts != "" {
		ps = append(ps, llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: c.thoughts}})
	}
	if c.text != "" {
		ps = append(ps, llm.NewText(c.text))
	}
	if c.refusal != "" {
		ps = append(ps, llm.Part{Kind: llm.RefusalPart, Text: c.refusal})
	}
	for i := range c.calls {
		f := &c.calls[i]
		call := &llm.Call{ID: f.id, Name: f.name, Input: f.input, Signature: f.signature}
		if f.custom {
			call.Kind = llm.CustomTool
		}
		ps = append(ps, llm.Part{Kind: llm.CallPart, Call: call})
	}
	return ps
}
