package openai

import (
	"encoding/json"
	"errors"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// errFailed is the error of an answer that tells of a failure.
var errFailed = errors.New("the answer is a failure")

// DecodeResponse reads a whole answer.
func (ResponsesWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var r wireAnswer
	if r.reset(body); r.s.Kind() != splice.Object {
		if err := r.s.Err(); err != nil {
			return nil, err
		}
		return nil, errNoObject
	}
	r.read()
	r.s.End()
	if err := r.s.Err(); err != nil {
		return nil, err
	}
	if r.status == "failed" || r.status == "cancelled" {
		return nil, errFailed
	}
	a := llm.Answer{}
	for i := range r.items {
		a.Parts = append(a.Parts, r.items[i].parts...)
		if r.items[i].logprobs != nil && a.Logprobs == nil {
			a.Logprobs = r.items[i].logprobs
		}
	}
	a.Finish = finishOf(r.reason, calls(a.Parts))
	return &llm.Response{ID: r.id, Model: r.model, Created: r.created, Choices: []llm.Answer{a}, Usage: r.usage}, nil
}

func calls(parts []llm.Part) bool {
	for i := range parts {
		if parts[i].Kind == llm.CallPart {
			return true
		}
	}
	return false
}

// wireAnswer is what an answer says.
type wireAnswer struct {
	reader
	id, model, status, reason string
	created                   int64
	usage                     llm.Usage
	items                     []wireItem
	failure                   json.RawMessage
}

// wireItem is an item as the parts that it stands for.
type wireItem struct {
	typ, id  string
	parts    []llm.Part
	logprobs json.RawMessage
}

func (r *wireAnswer) read() {
	r.fields(func(key string) {
		switch key {
		case "id":
			r.id = r.str()
		case "model":
			r.model = r.str()
		case "created_at":
			r.created = r.integer()
		case "status":
			r.status = r.str()
		case "incomplete_details":
			r.fields(func(key string) {
				if key == "reason" {
					r.reason = r.str()
				} else {
					r.s.Skip()
				}
			})
		case "error":
			r.failure = r.raw()
		case "usage":
			if u, ok := responsesUsage(&r.s, r.doc); ok {
				r.usage = u
			}
		case "output":
			r.each(func() { r.items = append(r.items, r.item()) })
		default:
			r.s.Skip()
		}
	})
}

// item reads one output item. Its type may come last.
func (r *reader) item() wireItem {
	var it wireItem
	var call llm.Call
	var summary, input string
	encrypted := ""
	r.fields(func(key string) {
		switch key {
		case "type":
			it.typ = r.str()
		case "id":
			it.id = r.str()
		case "call_id":
			call.ID = r.str()
		case "name":
			call.Name = r.str()
		case "namespace":
			call.Namespace = r.str()
		case "arguments":
			if r.s.Kind() == splice.String {
				call.Input = r.str()
			} else {
				call.Input = string(r.raw())
			}
		case "input":
			input = r.str()
		case "encrypted_content":
			encrypted = r.str()
		case "summary":
			r.each(func() {
				if text := r.said(&wireItem{}).Text; summary == "" {
					summary = text
				} else {
					summary += between + text
				}
			})
		case "content":
			r.each(func() { it.parts = append(it.parts, r.said(&it)) })
		default:
			r.s.Skip()
		}
	})
	switch it.typ {
	case itemMessage:
		return it
	case itemReasoning:
		it.parts = nil
		if summary != "" || encrypted != "" {
			it.parts = []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, ID: it.id, Text: summary, Encrypted: encrypted}}}
		}
		return it
	case itemCustom:
		call.Kind, call.Input = llm.CustomTool, input
	case itemSearch:
		call.Kind, call.Name = llm.SearchTool, toolSearch
	case itemCall:
	default: // what the request did not offer is not expected
		it.parts = nil
		return it
	}
	it.parts = []llm.Part{{Kind: llm.CallPart, Call: &call}}
	return it
}

// said reads a part of a message, or of a summary.
func (r *reader) said(it *wireItem) llm.Part {
	p := llm.Part{Kind: llm.TextPart}
	r.fields(func(key string) {
		switch key {
		case "text":
			p.Text = r.str()
		case "refusal":
			p.Kind, p.Text = llm.RefusalPart, r.str()
		case "logprobs":
			if raw := r.raw(); len(raw) > len("[]") {
				it.logprobs = chatLogprobs(raw)
			}
		default:
			r.s.Skip()
		}
	})
	return p
}

// chatLogprobs is the chat shape's object for the log probabilities of a text.
func chatLogprobs(tokens json.RawMessage) json.RawMessage {
	return append(append([]byte(`{"content":`), tokens...), `,"refusal":null}`...)
}
