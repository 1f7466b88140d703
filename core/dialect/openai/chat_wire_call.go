package openai

import (
	"errors"
	"slices"

	"github.com/headgate-dev/headgate/core/llm"
)

// maxCalls limits the calls of one answer.
const maxCalls = 4096

// emitCallPiece emits a piece of a call. A new call has a new index, or a new id from
// providers that send no index or always 0.
func (c *chatStream) emitCallPiece(choice int, at *chatChoiceState, f *chatFragment) error {
	open := at.open == llm.CallPart
	same := open && (!f.indexed || f.index == at.call.index) && (f.id == "" || f.id == at.call.id || at.call.id == "")
	if !same {
		if f.id == "" && f.name == "" && slices.Contains(at.begun, f.index) {
			return errors.New("a chunk goes back to a call that had ended")
		}
		if err := c.openPendingCall(choice, at); err != nil {
			return err
		}
		if at.begun = append(at.begun, f.index); len(at.begun) > maxCalls {
			return errors.New("an answer calls too many tools")
		}
		at.open, at.waiting = llm.CallPart, true
		at.call = chatFragment{index: f.index}
	}
	if !at.waiting {
		if err := c.emitInput(choice, f.input); err != nil {
			return err
		}
		return c.emitSignature(choice, f.signature)
	}
	if f.id != "" {
		at.call.id = f.id
	}
	at.call.name += f.name
	at.call.custom = at.call.custom || f.custom
	at.call.input += f.input
	at.call.signature += f.signature
	if at.call.name == "" {
		return nil
	}
	return c.openPendingCall(choice, at)
}

// openPendingCall opens the call that waits for its name, even if the name never came.
func (c *chatStream) openPendingCall(choice int, at *chatChoiceState) error {
	if !at.waiting {
		return nil
	}
	at.waiting = false
	call := &llm.Call{ID: at.call.id, Name: at.call.name}
	if at.call.custom {
		call.Kind = llm.CustomTool
	}
	c.ev = llm.Event{Kind: llm.Opened, Choice: choice, Part: llm.Part{Kind: llm.CallPart, Call: call}}
	if err := c.emit(&c.ev); err != nil {
		return err
	}
	if err := c.emitInput(choice, at.call.input); err != nil {
		return err
	}
	return c.emitSignature(choice, at.call.signature)
}

func (c *chatStream) emitInput(choice int, text string) error {
	if text == "" {
		return nil
	}
	c.ev = llm.Event{Kind: llm.Delta, Choice: choice, Text: text}
	return c.emit(&c.ev)
}

func (c *chatStream) emitSignature(choice int, text string) error {
	if text == "" {
		return nil
	}
	c.ev = llm.Event{Kind: llm.Signed, Choice: choice, Text: text}
	return c.emit(&c.ev)
}
