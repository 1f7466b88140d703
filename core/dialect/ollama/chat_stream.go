package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// maxLine limits a line, in bytes. The longest ones are calls with all their arguments.
const maxLine = 8 << 20

// DecodeStream reads a streamed answer, whose lines are JSON objects.
func (ChatWire) DecodeStream() wire.StreamDecoder { return &decoder{} }

// decoder reads one stream.
type decoder struct {
	buf     []byte
	scan    splice.Scanner
	msg     message
	out     llm.Event
	started bool
	part    llm.PartKind // of the part that is open; 0: none
	calls   int
	ended   bool
}

// Decode reads the lines that b completes and keeps the rest.
func (d *decoder) Decode(b []byte, emit func(*llm.Event) error) error {
	for {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			if len(d.buf)+len(b) > maxLine {
				return fmt.Errorf("a line of the stream is longer than %d MiB", maxLine>>20)
			}
			d.buf = append(d.buf, b...)
			return nil
		}
		line := b[:n]
		if len(d.buf) > 0 {
			d.buf = append(d.buf, line...)
			line = d.buf
		}
		b = b[n+1:]
		err := d.readLine(line, emit)
		d.buf = d.buf[:0]
		if err != nil {
			return err
		}
	}
}

// Close reads a last line without a line end, unless it was truncated.
func (d *decoder) Close(emit func(*llm.Event) error) error {
	if !json.Valid(d.buf) {
		return nil
	}
	return d.readLine(d.buf, emit)
}

func (d *decoder) readLine(line []byte, emit func(*llm.Event) error) error {
	if line = bytes.TrimSpace(line); len(line) == 0 || d.ended {
		return nil
	}
	if d.msg = (message{}); d.readTextLine(line) {
		if err := d.emitText(llm.ReasoningPart, d.msg.Thinking, emit); err != nil {
			return err
		}
		return d.emitText(llm.TextPart, d.msg.Content, emit)
	}
	d.msg = message{}
	a := answer{Message: &d.msg}
	if err := splice.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("read a line of the stream: %w", err)
	}
	if a.Error != "" {
		return d.emitFailure(&a, emit)
	}
	if !d.started {
		d.started = true
		d.out = llm.Event{Kind: llm.Started, Model: a.Model, Created: a.parseCreated()}
		if err := emit(&d.out); err != nil {
			return err
		}
	}
	if a.Message != nil {
		if err := d.emitMessage(&a, emit); err != nil {
			return err
		}
	}
	if raw := convertLogprobs(a.Logprobs); raw != nil && d.part == llm.TextPart { // other shapes have them for text alone
		d.out = llm.Event{Kind: llm.Logprobs, Raw: raw}
		if err := emit(&d.out); err != nil {
			return err
		}
	}
	if a.Done {
		return d.emitFinish(&a, emit)
	}
	return nil
}

// emitMessage emits the content of a line: thinking, then text, then whole calls.
func (d *decoder) emitMessage(a *answer, emit func(*llm.Event) error) error {
	m := a.Message
	if err := d.emitText(llm.ReasoningPart, m.Thinking, emit); err != nil {
		return err
	}
	if err := d.emitText(llm.TextPart, m.Content, emit); err != nil {
		return err
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		p := llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: a.makeID(c, d.calls), Name: c.Function.Name}}
		d.calls++
		if err := d.openPart(p, emit); err != nil {
			return err
		}
		if err := d.emitDelta(c.encodeArguments(), emit); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) emitText(kind llm.PartKind, text string, emit func(*llm.Event) error) error {
	if text == "" {
		return nil
	}
	if d.part != kind {
		p := llm.Part{Kind: kind}
		if kind == llm.ReasoningPart {
			p = newThoughtPart("")
		}
		if err := d.openPart(p, emit); err != nil {
			return err
		}
	}
	return d.emitDelta(text, emit)
}

func (d *decoder) openPart(p llm.Part, emit func(*llm.Event) error) error {
	d.part = p.Kind
	d.out = llm.Event{Kind: llm.Opened, Part: p}
	return emit(&d.out)
}

func (d *decoder) emitDelta(text string, emit func(*llm.Event) error) error {
	d.out = llm.Event{Kind: llm.Delta, Text: text}
	return emit(&d.out)
}

func (d *decoder) emitFinish(a *answer, emit func(*llm.Event) error) error {
	d.ended = true
	d.out = llm.Event{Kind: llm.Finished, Finish: parseFinish(a.Reason, d.calls > 0)}
	if err := emit(&d.out); err != nil {
		return err
	}
	if u := a.convertUsage(); u.Reported {
		d.out = llm.Event{Kind: llm.UsageEvent, Usage: u}
		if err := emit(&d.out); err != nil {
			return err
		}
	}
	d.out = llm.Event{Kind: llm.Ended}
	return emit(&d.out)
}

// emitFailure ends the stream with an error line. If it has no status, the status is
// 500.
func (d *decoder) emitFailure(a *answer, emit func(*llm.Event) error) error {
	d.ended = true
	if a.Status == 0 {
		a.Status = http.StatusInternalServerError
	}
	d.out = llm.Event{Kind: llm.Failed, Error: &llm.Failure{Status: a.Status, Message: a.Error}}
	return emit(&d.out)
}
