package openai

import (
	"encoding/json"
	"errors"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// errFailed is the error of an answer that reports a failure.
var errFailed = errors.New("the answer is a failure")

// DecodeResponse reads a whole answer.
func (ResponsesWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var r decodedAnswer
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
	a.Finish = mapIncompleteReason(r.reason, hasCalls(a.Parts))
	return &llm.Response{ID: r.id, Model: r.model, Created: r.created, Choices: []llm.Answer{a}, Usage: r.usage}, nil
}

func hasCalls(parts []llm.Part) bool {
	for i := range parts {
		if parts[i].Kind == llm.CallPart {
			return true
		}
	}
	return false
}

// decodedAnswer is the content of an answer.
type decodedAnswer struct {
	reader
	id, model, status, reason string
	created                   int64
	usage                     llm.Usage
	items                     []decodedItem
	failure                   json.RawMessage
}

// decodedItem is an item converted into parts.
type decodedItem struct {
	typ, id  string
	parts    []llm.Part
	logprobs json.RawMessage
}

func (r *decodedAnswer) read() {
	r.visitMembers(func(key string) {
		switch key {
		case "id":
			r.id = r.readText()
		case "model":
			r.model = r.readText()
		case "created_at":
			r.created = r.readInteger()
		case "status":
			r.status = r.readText()
		case "incomplete_details":
			r.visitMembers(func(key string) {
				if key == "reason" {
					r.reason = r.readText()
				} else {
					r.s.Skip()
				}
			})
		case "error":
			r.failure = r.readRaw()
		case "usage":
			if u, ok := readResponsesUsage(&r.s, r.doc); ok {
				r.usage = u
			}
		case "output":
			r.visitElements(func() { r.items = append(r.items, r.readItem()) })
		default:
			r.s.Skip()
		}
	})
}

// readItem reads one output item. Its type can come last.
func (r *reader) readItem() decodedItem {
	var it decodedItem
	var call llm.Call
	var summary, input string
	encrypted := ""
	r.visitMembers(func(key string) {
		switch key {
		case "type":
			it.typ = r.readText()
		case "id":
			it.id = r.readText()
		case "call_id":
			call.ID = r.readText()
		case "name":
			call.Name = r.readText()
		case "namespace":
			call.Namespace = r.readText()
		case "arguments":
			if r.s.Kind() == splice.String {
				call.Input = r.readText()
			} else {
				call.Input = string(r.readRaw())
			}
		case "input":
			input = r.readText()
		case "encrypted_content":
			encrypted = r.readText()
		case "summary":
			r.visitElements(func() {
				if text := r.readPart(&decodedItem{}).Text; summary == "" {
					summary = text
				} else {
					summary += between + text
				}
			})
		case "content":
			r.visitElements(func() { it.parts = append(it.parts, r.readPart(&it)) })
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
			t := &llm.Reasoning{Vendor: vendor, ID: it.id, Text: summary, Encrypted: encrypted}
			it.parts = []llm.Part{{Kind: llm.ReasoningPart, Reasoning: t}}
		}
		return it
	case itemCustom:
		call.Kind, call.Input = llm.CustomTool, input
	case itemSearch:
		call.Kind, call.Name = llm.SearchTool, toolSearch
	case itemCall:
	default: // the request did not offer it
		it.parts = nil
		return it
	}
	it.parts = []llm.Part{{Kind: llm.CallPart, Call: &call}}
	return it
}

// readPart reads a part of a message or of a summary.
func (r *reader) readPart(it *decodedItem) llm.Part {
	p := llm.Part{Kind: llm.TextPart}
	r.visitMembers(func(key string) {
		switch key {
		case "text":
			p.Text = r.readText()
		case "refusal":
			p.Kind, p.Text = llm.RefusalPart, r.readText()
		case "logprobs":
			if raw := r.readRaw(); len(raw) > len("[]") {
				it.logprobs = convertLogprobs(raw)
			}
		default:
			r.s.Skip()
		}
	})
	return p
}

// convertLogprobs returns the logprobs object of chat for the tokens of a text.
func convertLogprobs(tokens json.RawMessage) json.RawMessage {
	return append(append([]byte(`{"content":`), tokens...), `,"refusal":null}`...)
}
