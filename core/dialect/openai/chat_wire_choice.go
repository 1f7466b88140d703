package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// chatChoiceState is the state of one choice of a streamed answer.
type chatChoiceState struct {
	open     llm.PartKind
	call     chatFragment // the call that is open, or waits for its name
	waiting  bool         // for the name of call
	begun    []int64      // indexes of calls that have begun
	refused  bool
	finished bool
}

// maxChoices limits the choices whose state is kept.
const maxChoices = 1024

func (c *chatStream) findChoice(i int64) *chatChoiceState {
	for int64(len(c.choices)) <= i {
		c.choices = append(c.choices, &chatChoiceState{})
	}
	return c.choices[i]
}

// readChoices reads the choices of a chunk. The index of a choice can follow its delta.
func (c *chatStream) readChoices(doc []byte, u *llm.Usage) error {
	s := &c.inner
	s.Reset(doc)
	s.Enter()
	for s.Next() {
		if s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		var delta, logprobs splice.Span
		var index int64
		var finish, stop string
		s.Enter()
		for s.Next() {
			switch key := string(s.Key()); key {
			case "index":
				index = scan.ReadCount(s, doc)
			case "delta":
				delta = s.Skip()
			case "finish_reason":
				finish = scan.ReadText(s, doc)
			case "stop_reason": // vLLM: the stop sequence or null
				stop = scan.ReadText(s, doc)
			case "logprobs":
				if s.Kind() == splice.Object {
					logprobs = s.Skip()
				} else {
					s.Skip()
				}
			case "usage": // Moonshot's place for the usage
				if got, ok := readUsage(s, doc); ok && !u.Reported {
					*u = got
				}
			default:
				s.Skip()
			}
		}
		if index >= maxChoices {
			return errors.New("a chunk has a choice with an invalid index")
		}
		if err := c.emitStart(); err != nil {
			return err
		}
		at := c.findChoice(index)
		if at.finished { // ignore events after the end
			continue
		}
		if err := c.readDelta(doc[delta.Start:delta.End], int(index), at); err != nil {
			return err
		}
		if logprobs.Len() != 0 {
			c.ev = llm.Event{Kind: llm.Logprobs, Choice: int(index), Raw: doc[logprobs.Start:logprobs.End]}
			if err := c.emit(&c.ev); err != nil {
				return err
			}
		}
		if finish != "" {
			if err := c.emitFinish(int(index), at, finish, stop); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *chatStream) emitFinish(choice int, at *chatChoiceState, word, stop string) error {
	if err := c.openPendingCall(choice, at); err != nil {
		return err
	}
	at.finished = true
	f := correctFinish(parseFinish(word), at.refused, len(at.begun) > 0)
	c.ev = llm.Event{Kind: llm.Finished, Choice: choice, Finish: f, StopSequence: stop}
	return c.emit(&c.ev)
}

// readDelta emits the pieces of a delta.
func (c *chatStream) readDelta(doc []byte, choice int, at *chatChoiceState) error {
	if len(doc) == 0 {
		return nil
	}
	c.deepest.Reset(doc)
	c.said.read(&c.deepest, doc)
	if c.said.refusal != "" {
		at.refused = true
	}
	if err := c.emitText(choice, at, llm.ReasoningPart, c.said.thoughts); err != nil {
		return err
	}
	if err := c.emitText(choice, at, llm.TextPart, c.said.text); err != nil {
		return err
	}
	if err := c.emitText(choice, at, llm.RefusalPart, c.said.refusal); err != nil {
		return err
	}
	for i := range c.said.calls {
		if err := c.emitCallPiece(choice, at, &c.said.calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// chatThought opens reasoning. It is shared, so it must not be modified.
var chatThought = &llm.Reasoning{Vendor: ChatVendor}

func (c *chatStream) emitText(choice int, at *chatChoiceState, kind llm.PartKind, text string) error {
	if text == "" {
		return nil
	}
	if at.open != kind {
		if err := c.openPendingCall(choice, at); err != nil {
			return err
		}
		at.open = kind
		c.ev = llm.Event{Kind: llm.Opened, Choice: choice, Part: llm.Part{Kind: kind}}
		if kind == llm.ReasoningPart {
			c.ev.Part.Reasoning = chatThought
		}
		if err := c.emit(&c.ev); err != nil {
			return err
		}
	}
	c.ev = llm.Event{Kind: llm.Delta, Choice: choice, Text: text}
	return c.emit(&c.ev)
}
