package cohere

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// DecodeStream reads the server-sent events of a streamed answer.
func (ChatWire) DecodeStream() wire.StreamDecoder { return &decoder{} }

// decoder reads one stream.
type decoder struct {
	split   sse.Splitter
	in      chunk
	scan    splice.Scanner
	path    []byte // of the text of a delta
	out     llm.Event
	started bool
	part    llm.PartKind // of the part that is open; 0: none
	plan    bool         // that part is the tool plan
	index   int          // of that part among the content blocks, or the calls
	empty   bool         // no text of it has come yet
	ended   bool
}

// Decode reads the events that b completes.
func (d *decoder) Decode(b []byte, emit func(*llm.Event) error) error {
	if err := d.split.Write(b); err != nil {
		return err
	}
	for ev := d.split.Next(); ev != nil; ev = d.split.Next() {
		if err := d.readEvent(ev, emit); err != nil {
			return err
		}
	}
	return nil
}

// Close reads a last event that lacks its blank line, unless it was truncated.
func (d *decoder) Close(emit func(*llm.Event) error) error {
	rest := d.split.Rest()
	if lo, hi, n := sse.FindData(rest); n != 1 || !json.Valid(rest[lo:hi]) {
		return nil
	}
	return d.readEvent(rest, emit)
}

// chunk is an event of any type.
type chunk struct {
	Type     string   `json:"type"`
	ID       string   `json:"id"`
	Index    int      `json:"index"`
	Logprobs *logprob `json:"logprobs"`
	Message  string   `json:"message"` // of an error
	Delta    struct {
		Error   string `json:"error"`
		Finish  string `json:"finish_reason"`
		Usage   *usage `json:"usage"`
		Message struct {
			Content content `json:"content"`
			Plan    string  `json:"tool_plan"`
			Calls   call    `json:"tool_calls"`
		} `json:"message"`
	} `json:"delta"`
}

// kinds maps event types to their readers. Others, such as debug and citation-start, are
// ignored.
var kinds = map[string]func(*decoder, *chunk, func(*llm.Event) error) error{
	"content-start": (*decoder).emitContent, "content-delta": (*decoder).emitContent, "content-end": (*decoder).endPart,
	"tool-plan-delta": (*decoder).emitPlan,
	"tool-call-start": (*decoder).emitCall, "tool-call-delta": (*decoder).emitArguments, "tool-call-end": (*decoder).endPart,
	"message-end": (*decoder).emitFinish,
}

func (d *decoder) readEvent(ev []byte, emit func(*llm.Event) error) error {
	lo, hi, n := sse.FindData(ev)
	if n == 0 || d.ended {
		return nil
	}
	data := ev[lo:hi]
	if n > 1 {
		joined := sse.Join(nil, ev)
		lo, hi, _ = sse.FindData(joined)
		data = joined[lo:hi]
	}
	if string(data) == "[DONE]" {
		return nil
	}
	c := &d.in
	*c = chunk{}
	if d.readTextDelta(data, c) {
		return kinds[c.Type](d, c, emit)
	}
	*c = chunk{}
	if err := splice.Unmarshal(data, c); err != nil {
		// Ignored events can hold lists where others hold objects.
		var mistyped *json.UnmarshalTypeError
		if !errors.As(err, &mistyped) || kinds[c.Type] != nil {
			return fmt.Errorf("an event of the stream: %w", err)
		}
	}
	if c.Type == "" && c.Message != "" {
		return d.emitFailure(&llm.Failure{Message: c.Message}, emit)
	}
	handle := kinds[c.Type]
	if handle == nil && c.Type != "message-start" {
		return nil
	}
	if !d.started {
		d.started = true
		d.out = llm.Event{Kind: llm.Started, ID: c.ID}
		if err := emit(&d.out); err != nil {
			return err
		}
	}
	if handle == nil {
		return nil
	}
	return handle(d, c, emit)
}

func (d *decoder) openPart(p llm.Part, index int, emit func(*llm.Event) error) error {
	d.part, d.index, d.empty, d.plan = p.Kind, index, true, false
	d.out = llm.Event{Kind: llm.Opened, Part: p}
	return emit(&d.out)
}

func (d *decoder) emitText(text string, emit func(*llm.Event) error) error {
	if text == "" {
		return nil
	}
	d.empty = false
	d.out = llm.Event{Kind: llm.Delta, Text: text}
	return emit(&d.out)
}

// emitContent emits the start of a block, or more of it.
func (d *decoder) emitContent(c *chunk, emit func(*llm.Event) error) error {
	b, kind := &c.Delta.Message.Content, llm.TextPart
	switch { // more of a block does not repeat its type
	case b.Type == "thinking" || b.Thinking != "":
		kind = llm.ReasoningPart
	case b.Type != "text" && b.Text == "":
		return nil
	}
	if d.part != kind || d.index != c.Index || d.plan {
		p := llm.Part{Kind: kind}
		if kind == llm.ReasoningPart {
			p = newThoughtPart("", "")
		}
		if err := d.openPart(p, c.Index, emit); err != nil {
			return err
		}
	}
	if err := d.emitText(b.Text+b.Thinking, emit); err != nil || c.Logprobs == nil {
		return err
	}
	d.out = llm.Event{Kind: llm.Logprobs, Raw: convertLogprobs([]logprob{*c.Logprobs})}
	return emit(&d.out)
}

// emitPlan emits more of the tool plan.
func (d *decoder) emitPlan(c *chunk, emit func(*llm.Event) error) error {
	if !d.plan {
		if err := d.openPart(newThoughtPart(plan, ""), 0, emit); err != nil {
			return err
		}
		d.plan = true
	}
	return d.emitText(c.Delta.Message.Plan, emit)
}

func (d *decoder) emitCall(c *chunk, emit func(*llm.Event) error) error {
	call := &c.Delta.Message.Calls
	if err := d.openPart(llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: call.ID, Name: call.Function.Name}}, c.Index, emit); err != nil {
		return err
	}
	return d.emitText(call.Function.Arguments, emit)
}

func (d *decoder) emitArguments(c *chunk, emit func(*llm.Event) error) error {
	if d.part != llm.CallPart || d.index != c.Index {
		return errors.New("arguments of a call that has not started")
	}
	return d.emitText(c.Delta.Message.Calls.Function.Arguments, emit)
}

// endPart ends a part. A call without arguments gets an empty object.
func (d *decoder) endPart(_ *chunk, emit func(*llm.Event) error) error {
	bare := d.part == llm.CallPart && d.empty
	d.part, d.plan = 0, false
	if bare {
		return d.emitText("{}", emit)
	}
	return nil
}

func (d *decoder) emitFinish(c *chunk, emit func(*llm.Event) error) error {
	why, failed := parseFinish(c.Delta.Finish)
	if failed {
		f := &llm.Failure{Status: http.StatusInternalServerError, Code: c.Delta.Finish, Message: c.Delta.Error}
		if strings.EqualFold(c.Delta.Finish, "TIMEOUT") {
			f.Status = http.StatusGatewayTimeout
		}
		return d.emitFailure(f, emit)
	}
	d.ended = true
	d.out = llm.Event{Kind: llm.Finished, Finish: why}
	if err := emit(&d.out); err != nil {
		return err
	}
	if u := c.Delta.Usage.convertToNeutral(); u.Reported {
		d.out = llm.Event{Kind: llm.UsageEvent, Usage: u}
		if err := emit(&d.out); err != nil {
			return err
		}
	}
	d.out = llm.Event{Kind: llm.Ended}
	return emit(&d.out)
}

func (d *decoder) emitFailure(f *llm.Failure, emit func(*llm.Event) error) error {
	d.ended = true
	d.out = llm.Event{Kind: llm.Failed, Error: f}
	return emit(&d.out)
}
