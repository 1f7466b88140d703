package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// chatPieces is the content of a message or of a delta, which have the same members.
type chatPieces struct {
	thoughts, text, refusal string
	calls                   []chatFragment
}

// chatFragment is a call, or a piece of one.
type chatFragment struct {
	index     int64
	indexed   bool // the provider gave the index
	custom    bool
	id, name  string
	input     string
	signature string
}

// read reads a message or a delta and skips unknown members.
func (c *chatPieces) read(s *splice.Scanner, doc []byte) {
	*c = chatPieces{calls: c.calls[:0]}
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	other := ""
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "content":
			c.readContent(s, doc)
		case "refusal":
			c.refusal = scan.ReadText(s, doc)
		case "reasoning_content":
			c.thoughts += scan.ReadText(s, doc)
		case "reasoning":
			other = scan.ReadText(s, doc)
		case "tool_calls":
			c.readCalls(s, doc)
		case "function_call":
			if s.Kind() == splice.Object {
				f := chatFragment{index: legacyCall, indexed: true}
				f.readFunction(s, doc)
				c.calls = append(c.calls, f)
			} else {
				s.Skip()
			}
		default:
			s.Skip()
		}
	}
	if c.thoughts == "" { // some clients send both with the same text
		c.thoughts = other
	}
}

// readContent reads a string, or the parts that Mistral's reasoning models send.
func (c *chatPieces) readContent(s *splice.Scanner, doc []byte) {
	if s.Kind() != splice.Array {
		c.text = scan.ReadText(s, doc)
		return
	}
	s.Enter()
	for s.Next() {
		if s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		s.Enter()
		for s.Next() {
			switch string(s.Key()) {
			case "text":
				c.text += scan.ReadText(s, doc)
			case "thinking":
				c.readThinking(s, doc)
			default:
				s.Skip()
			}
		}
	}
}

func (c *chatPieces) readThinking(s *splice.Scanner, doc []byte) {
	if s.Kind() != splice.Array {
		c.thoughts += scan.ReadText(s, doc)
		return
	}
	var inner chatPieces
	inner.readContent(s, doc)
	c.thoughts += inner.text
}

func (c *chatPieces) readCalls(s *splice.Scanner, doc []byte) {
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
		f := chatFragment{}
		s.Enter()
		for s.Next() {
			switch string(s.Key()) {
			case "index":
				f.indexed = s.Kind() == splice.Number
				f.index = scan.ReadCount(s, doc)
			case "id":
				f.id = scan.ReadText(s, doc)
			case "type":
				f.custom = f.custom || scan.ReadText(s, doc) == "custom"
			case "custom":
				f.custom = f.custom || s.Kind() == splice.Object
				f.readFunction(s, doc)
			case "function":
				f.readFunction(s, doc)
			case "extra_content":
				f.signature = readChatSignature(s, doc)
			default:
				s.Skip()
			}
		}
		c.calls = append(c.calls, f)
	}
}

// readFunction reads the object that holds a call's name and input. It accepts arguments
// that are a JSON object instead of a string.
func (f *chatFragment) readFunction(s *splice.Scanner, doc []byte) {
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "name":
			f.name = scan.ReadText(s, doc)
		case "arguments", "input":
			if s.Kind() == splice.Object {
				at := s.Skip()
				f.input = string(doc[at.Start:at.End])
			} else {
				f.input = scan.ReadText(s, doc)
			}
		default:
			s.Skip()
		}
	}
}

// parseFinish maps the finish_reason of OpenAI and of compatible providers. An unknown
// one means a normal stop.
func parseFinish(word string) llm.Finish {
	switch word {
	case "":
		return llm.FinishUnsaid
	case "length", "max_tokens", "model_length", "insufficient_system_resource":
		return llm.FinishLength
	case "tool_calls", "function_call", "tool_use":
		return llm.FinishTools
	case "content_filter", "sensitive":
		return llm.FinishFiltered
	}
	return llm.FinishStop
}

// correctFinish corrects a normal stop for an answer that refuses or calls tools: OpenAI
// reports "stop" for a call that the request forced by name.
func correctFinish(f llm.Finish, refused, called bool) llm.Finish {
	switch {
	case f != llm.FinishStop:
		return f
	case called:
		return llm.FinishTools
	case refused:
		return llm.FinishRefusal
	}
	return f
}
