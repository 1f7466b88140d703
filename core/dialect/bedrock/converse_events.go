package bedrock

import (
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// events converts the events of a stream.
type events struct {
	out     llm.Event
	scan    splice.Scanner
	path    []byte // of the text of a delta
	started bool
	part    llm.PartKind // of the block that is open; 0: none
	index   int          // of that block
	empty   bool         // no text of that block has come yet
	called  bool         // the client's tools are called
	stopped bool
	ended   bool
}

// payload is the payload of an event of any type.
type payload struct {
	stop
	Index int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *struct {
			ID   string `json:"toolUseId"`
			Name string `json:"name"`
		} `json:"toolUse"`
	} `json:"start"`
	Delta struct {
		Text    *string `json:"text"`
		ToolUse *struct {
			Input string `json:"input"`
		} `json:"toolUse"`
		Reasoning *struct {
			Text      *string `json:"text"`
			Signature string  `json:"signature"`
			Redacted  string  `json:"redactedContent"`
		} `json:"reasoningContent"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// readEvent reads one event and ignores unknown types, because the API grows.
func (s *events) readEvent(kind string, body []byte, emit func(*llm.Event) error) error {
	switch kind {
	case "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata":
	default:
		return nil
	}
	if s.ended {
		return nil
	}
	if kind == "contentBlockDelta" {
		if ok, err := s.readTextDelta(body, emit); ok {
			return err
		}
	}
	var p payload
	if err := splice.Unmarshal(body, &p); err != nil {
		return fmt.Errorf("the payload of %s: %w", kind, err)
	}
	if err := s.emitStart(emit); err != nil {
		return err
	}
	switch kind {
	case "contentBlockStart":
		return s.readBlockStart(&p, emit)
	case "contentBlockDelta":
		return s.readBlockDelta(&p, emit)
	case "contentBlockStop":
		return s.readBlockStop(emit)
	case "messageStop":
		s.stopped = true
		s.out = llm.Event{Kind: llm.Finished, Finish: parseFinish(p.Reason, s.called), StopSequence: p.Additional.Sequence}
		return emit(&s.out)
	case "metadata":
		if p.Usage != nil {
			s.out = llm.Event{Kind: llm.UsageEvent, Usage: p.Usage.convertToNeutral()}
			if err := emit(&s.out); err != nil {
				return err
			}
		}
		return s.emitEnd(emit)
	}
	return nil
}

func (s *events) emitStart(emit func(*llm.Event) error) error {
	if s.started {
		return nil
	}
	s.started = true
	s.out = llm.Event{Kind: llm.Started}
	return emit(&s.out)
}

func (s *events) openPart(index int, p llm.Part, emit func(*llm.Event) error) error {
	s.part, s.index, s.empty = p.Kind, index, true
	s.out = llm.Event{Kind: llm.Opened, Part: p}
	return emit(&s.out)
}

func (s *events) emitPiece(kind llm.EventKind, text string, emit func(*llm.Event) error) error {
	if text == "" {
		return nil
	}
	s.empty = false
	s.out = llm.Event{Kind: kind, Text: text}
	return emit(&s.out)
}

func (s *events) readBlockStart(p *payload, emit func(*llm.Event) error) error {
	t := p.Start.ToolUse
	if t == nil {
		return nil // a text or reasoning: known by its first delta
	}
	if t.Name == answerTool {
		return s.openPart(p.Index, llm.Part{Kind: llm.TextPart}, emit)
	}
	s.called = true
	return s.openPart(p.Index, llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: t.ID, Name: t.Name}}, emit)
}

func (s *events) readBlockDelta(p *payload, emit func(*llm.Event) error) error {
	d := &p.Delta
	switch g := d.Reasoning; {
	case d.ToolUse != nil:
		return s.emitInput(p.Index, d.ToolUse.Input, emit)
	case d.Text != nil:
		return s.emitText(p.Index, *d.Text, emit)
	case g != nil && g.Text != nil:
		return s.emitThought(p.Index, *g.Text, emit)
	case g != nil:
		if !s.isOpen(p.Index) {
			if err := s.openThought(p.Index, g.Redacted, emit); err != nil {
				return err
			}
		}
		return s.emitPiece(llm.Signed, g.Signature, emit)
	}
	return nil
}

// isOpen reports whether the block with an index is open.
func (s *events) isOpen(index int) bool { return s.part != 0 && s.index == index }

func (s *events) emitInput(index int, text string, emit func(*llm.Event) error) error {
	if !s.isOpen(index) {
		return errors.New("input of a tool call that has not started")
	}
	return s.emitPiece(llm.Delta, text, emit)
}

func (s *events) openThought(index int, redacted string, emit func(*llm.Event) error) error {
	return s.openPart(index, llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Encrypted: redacted}}, emit)
}

func (s *events) emitThought(index int, text string, emit func(*llm.Event) error) error {
	if !s.isOpen(index) {
		if err := s.openThought(index, "", emit); err != nil {
			return err
		}
	}
	return s.emitPiece(llm.Delta, text, emit)
}

// emitText emits text of a block, which its first delta opens.
func (s *events) emitText(index int, text string, emit func(*llm.Event) error) error {
	if !s.isOpen(index) {
		if err := s.openPart(index, llm.Part{Kind: llm.TextPart}, emit); err != nil {
			return err
		}
	}
	return s.emitPiece(llm.Delta, text, emit)
}

// readBlockStop ends a block. A call without arguments gets an empty object.
func (s *events) readBlockStop(emit func(*llm.Event) error) error {
	bare := s.part == llm.CallPart && s.empty
	s.part = 0
	if bare {
		return s.emitPiece(llm.Delta, "{}", emit)
	}
	return nil
}

// emitFailure ends the stream with the provider's error.
func (s *events) emitFailure(f *llm.Failure, emit func(*llm.Event) error) error {
	if s.ended {
		return nil
	}
	s.ended = true
	s.out = llm.Event{Kind: llm.Failed, Error: f}
	return emit(&s.out)
}

// emitEnd emits the end of the answer, once.
func (s *events) emitEnd(emit func(*llm.Event) error) error {
	if s.ended || !s.stopped {
		return nil
	}
	s.ended = true
	s.out = llm.Event{Kind: llm.Ended}
	return emit(&s.out)
}
