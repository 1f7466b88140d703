package anthropic

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// Encode appends the whole answer to r. The dialect has one answer and no log
// probabilities.
func (Messages) Encode(dst []byte, r *llm.Request, a *llm.Response) []byte {
	var first llm.Answer
	if len(a.Choices) > 0 {
		first = a.Choices[0]
	}
	w := writer{b: dst, r: r}
	w.b = append(w.b, '{')
	w.appendHead(a.ID, a.Model)
	w.b = append(w.b, `,"content":[`...)
	from, calls := len(w.b), false
	for i := range first.Parts {
		p := &first.Parts[i]
		if !w.isShown(p) {
			continue
		}
		if len(w.b) > from {
			w.b = append(w.b, ',')
		}
		w.appendBlock(p)
		calls = calls || p.Kind == llm.CallPart
	}
	w.b = append(w.b, `],`...)
	w.appendStop(first.Finish, first.StopSequence, calls)
	w.b = append(w.b, `,"usage":`...)
	w.appendUsage(a.Usage)
	return append(w.b, '}')
}

// writer writes an answer.
type writer struct {
	b []byte
	r *llm.Request
}

// isShown reports whether a part becomes a block. Reasoning does only if Anthropic
// signed or sealed it: Anthropic rejects unsigned blocks that the client sends back.
func (w *writer) isShown(p *llm.Part) bool {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart, llm.CallPart:
		return true
	case llm.ReasoningPart:
		if p.Reasoning.Vendor == vendor && (p.Reasoning.Signature != "" || p.Reasoning.Encrypted != "") {
			return true
		}
		w.r.RecordDropped("reasoning")
	case llm.ImagePart:
		w.r.RecordDropped("image")
	}
	return false
}

// appendHead appends the first members of a message in Anthropic's order.
func (w *writer) appendHead(id, model string) {
	if model == "" {
		model = w.r.Model
	}
	if id == "" {
		id = newID("msg_")
	}
	w.b = append(w.b, `"id":`...)
	w.appendString(id)
	w.b = append(w.b, `,"type":"message","role":"assistant","model":`...)
	w.appendString(model)
}

func (w *writer) appendBlock(p *llm.Part) {
	switch p.Kind {
	case llm.CallPart:
		w.appendCall(p.Call)
		w.b = append(appendInput(w.b, p.Call.Input), '}')
	case llm.ReasoningPart:
		w.appendReasoning(p.Reasoning)
	default:
		w.b = append(w.b, `{"type":"text","text":`...)
		w.appendString(p.Text)
		w.b = append(w.b, '}')
	}
}

// appendCall appends a block up to its input.
func (w *writer) appendCall(c *llm.Call) {
	if c.Signature != "" {
		w.r.RecordDropped("thought_signature")
	}
	id := c.ID
	if id == "" {
		id = newID("toolu_")
	}
	w.b = append(w.b, `{"type":"tool_use","id":`...)
	w.appendString(id)
	w.b = append(w.b, `,"name":`...)
	w.appendString(c.Name)
	w.b = append(w.b, `,"input":`...)
}

func (w *writer) appendReasoning(p *llm.Reasoning) {
	if p.Encrypted != "" {
		w.b = append(w.b, `{"type":"redacted_thinking","data":`...)
		w.appendString(p.Encrypted)
	} else {
		w.b = append(w.b, `{"type":"thinking","thinking":`...)
		w.appendString(p.Text)
		w.b = append(w.b, `,"signature":`...)
		w.appendString(p.Signature)
	}
	w.b = append(w.b, '}')
}

// appendStop appends the stop reason. Clients answer calls only after tool_use, which
// not every provider reports.
func (w *writer) appendStop(f llm.Finish, sequence string, calls bool) {
	reason := "end_turn"
	switch {
	case f == llm.FinishLength:
		reason = "max_tokens"
	case f == llm.FinishFiltered || f == llm.FinishRefusal:
		reason = "refusal"
	case calls || f == llm.FinishTools:
		reason = "tool_use"
	case sequence != "":
		reason = "stop_sequence"
	}
	w.b = append(append(w.b, `"stop_reason":"`...), reason...)
	w.b = append(w.b, `","stop_sequence":`...)
	if reason == "stop_sequence" {
		w.appendString(sequence)
	} else {
		w.b = append(w.b, "null"...)
	}
}

// appendUsage appends the usage. Its input excludes tokens read from or stored in the
// prompt cache.
func (w *writer) appendUsage(u llm.Usage) {
	w.b = append(w.b, `{"input_tokens":`...)
	w.b = strconv.AppendInt(w.b, max(0, u.Input-u.Cached-u.Written), 10)
	w.b = append(w.b, `,"cache_creation_input_tokens":`...)
	w.b = strconv.AppendInt(w.b, u.Written, 10)
	w.b = append(w.b, `,"cache_read_input_tokens":`...)
	w.b = strconv.AppendInt(w.b, u.Cached, 10)
	w.b = append(w.b, `,"output_tokens":`...)
	w.b = strconv.AppendInt(w.b, u.Output, 10)
	if u.Reasoning > 0 {
		w.b = append(w.b, `,"output_tokens_details":{"thinking_tokens":`...)
		w.b = strconv.AppendInt(w.b, u.Reasoning, 10)
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, '}')
}

func (w *writer) appendString(s string) {
	w.b = append(w.b, '"')
	w.b = splice.AppendEscaped(w.b, s)
	w.b = append(w.b, '"')
}

// newID returns a new id, for an answer that came without one.
func newID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}
