package llm

import (
	"bytes"
	"encoding/json"
)

// RestoreResponse gives the calls of an answer the names and kinds that the client
// declared. It changes a and returns it.
func (l *Lowered) RestoreResponse(a *Response) *Response {
	if l == nil || len(l.names.back) == 0 || a == nil {
		return a
	}
	for i := range a.Choices {
		for _, p := range a.Choices[i].Parts {
			if p.Kind == CallPart && l.raise(p.Call) {
				p.Call.Input = unwrapInput(p.Call.Input)
			}
		}
	}
	return a
}

// raise renames a call, and reports whether its arguments wrap free text.
func (l *Lowered) raise(c *Call) bool {
	own, ok := l.names.back[c.Name]
	if !ok {
		return false
	}
	wrapped := own.kind == CustomTool && c.Kind == FunctionTool
	c.Name, c.Namespace, c.Kind = own.name, own.namespace, own.kind
	return wrapped
}

// Stream does for a streamed answer what Response does. The filter that it
// returns serves one stream. The text of a custom call is gathered: it leaves in
// one Delta when the call ends.
func (l *Lowered) Stream() func(ev *Event, emit func(*Event) error) error {
	if l == nil || len(l.names.back) == 0 {
		return func(ev *Event, emit func(*Event) error) error { return emit(ev) }
	}
	s := &stream{l: l, open: map[int]*bytes.Buffer{}}
	return s.restoreEvent
}

// stream holds the arguments of custom calls, by choice.
type stream struct {
	l    *Lowered
	open map[int]*bytes.Buffer
}

func (s *stream) restoreEvent(ev *Event, emit func(*Event) error) error {
	switch ev.Kind {
	case Opened:
		if err := s.flush(ev.Choice, emit); err != nil {
			return err
		}
		if ev.Part.Kind == CallPart {
			return s.openMessage(ev, emit)
		}
	case Delta:
		if b := s.open[ev.Choice]; b != nil {
			b.WriteString(ev.Text)
			return nil
		}
	case Finished:
		if err := s.flush(ev.Choice, emit); err != nil {
			return err
		}
	case Failed:
		clear(s.open) // half a call is none
	}
	return emit(ev)
}

func (s *stream) openMessage(ev *Event, emit func(*Event) error) error {
	call, as := *ev.Part.Call, *ev
	as.Part.Call = &call
	if s.l.raise(&call) {
		s.open[ev.Choice] = &bytes.Buffer{}
		s.open[ev.Choice].WriteString(call.Input)
		call.Input = ""
	}
	return emit(&as)
}

func (s *stream) flush(choice int, emit func(*Event) error) error {
	b := s.open[choice]
	if b == nil {
		return nil
	}
	delete(s.open, choice)
	return emit(&Event{Kind: Delta, Choice: choice, Text: unwrapInput(b.String())})
}

// wrapInput writes free text as the arguments of a function.
func wrapInput(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // text cannot fail
		Input string `json:"input"`
	}{text})
	return string(bytes.TrimSpace(b.Bytes()))
}

// unwrapInput is the free text in a function's arguments. A model that did not
// write them as it was told has its text passed on as it is.
func unwrapInput(args string) string {
	var v struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(args), &v) != nil || v.Input == nil {
		return args
	}
	return *v.Input
}
