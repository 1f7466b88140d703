package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// tokens holds the counts of an answer. Input excludes tokens read from or stored in the
// prompt cache.
type tokens struct {
	input, cached, written, output, thought int64
}

// read updates the counts that an object names: in a stream, later counts are running
// totals. It reports whether there was an object.
func (t *tokens) read(s *splice.Scanner, doc []byte) bool {
	if s.Kind() != splice.Object {
		s.Skip()
		return false
	}
	s.Enter()
	for s.Next() {
		key := s.Key()
		if k := s.Kind(); k != splice.Number && k != splice.Object {
			s.Skip() // null is not a new count
			continue
		}
		switch string(key) {
		case "input_tokens":
			t.input = readCount(s, doc)
		case "cache_read_input_tokens":
			t.cached = readCount(s, doc)
		case "cache_creation_input_tokens":
			t.written = readCount(s, doc)
		case "output_tokens":
			t.output = readCount(s, doc)
		case "output_tokens_details":
			t.readDetails(s, doc)
		default:
			s.Skip()
		}
	}
	return true
}

func (t *tokens) readDetails(s *splice.Scanner, doc []byte) {
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		if string(s.Key()) == "thinking_tokens" {
			t.thought = readCount(s, doc)
		} else {
			s.Skip()
		}
	}
}

// convertUsage returns the counts with cached tokens as input. All zero means unreported: every
// request has input, and a translated answer has zeros if its provider reported nothing.
func (t *tokens) convertUsage() llm.Usage {
	return llm.Usage{
		Reported: t.input+t.cached+t.written+t.output > 0, Input: t.input + t.cached + t.written, Output: t.output,
		Cached: t.cached, Written: t.written, Reasoning: t.thought,
	}
}
