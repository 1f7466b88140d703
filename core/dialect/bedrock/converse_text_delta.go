package bedrock

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// deltas maps the path of a delta's text to the function that emits it.
var deltas = map[string]func(s *events, index int, text string, emit func(*llm.Event) error) error{
	"text": (*events).emitText, "toolUse.input": (*events).emitInput, "reasoningContent.text": (*events).emitThought,
}

// readTextDelta reads a delta that carries only text, like most of them, with a tenth of
// the allocations. ok is false for any other delta, which must be read in full.
func (s *events) readTextDelta(body []byte, emit func(*llm.Event) error) (ok bool, err error) {
	scan := &s.scan
	scan.Reset(body)
	if !s.started || scan.Kind() != splice.Object {
		return false, nil
	}
	index, escaped, said := 0, false, false
	var text splice.Span
	scan.Enter()
	for scan.Next() {
		switch string(scan.Key()) {
		case "contentBlockIndex":
			if scan.Kind() != splice.Number {
				return false, nil
			}
			at := scan.Number()
			if index, err = strconv.Atoi(string(body[at.Start:at.End])); err != nil {
				return false, nil
			}
		case "p": // padding, so that the length reveals nothing
			scan.Skip()
		case "delta":
			if s.path, text, escaped, said = scan.FindLeaf(s.path[:0]); !said {
				return false, nil
			}
		default:
			return false, nil
		}
	}
	more := deltas[string(s.path)]
	if !scan.End() || !said || more == nil {
		return false, nil
	}
	return true, more(s, index, splice.ReadTextAt(body, text, escaped), emit)
}
