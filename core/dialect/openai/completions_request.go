package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// maxPrompts bounds the calls that one request can cause.
const maxPrompts = 128

// Scan checks a legacy completion request and finds its texts. x.Head.Messages is
// the number of prompts.
func (Completions) Scan(x *core.Exchange) *core.Error {
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw, notes: notesOf(x)}
	r.notes.wantsUsage, r.notes.options, r.notes.optionsEmpty, r.notes.count = false, false, false, 0
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	e := r.completion()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
}

func (r *request) completion() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	prompted := false
	r.s.Enter()
	for r.s.Next() {
		start := r.s.Pos()
		switch key := r.s.Key(); string(key) {
		case "model":
			r.model()
		case "prompt":
			prompted = true
			r.prompts()
		case "stream":
			r.x.Head.Stream = r.boolean("stream")
		case "stream_options":
			r.streamOptions()
		case maxTokens:
			r.x.Head.MaxTokens = r.limit(maxTokens, start, markMaxTokens)
		case "temperature":
			r.number("temperature", 0, 2)
		case "top_p":
			r.number("top_p", 0, 1)
		case "frequency_penalty":
			r.number("frequency_penalty", -2, 2)
		case "presence_penalty":
			r.number("presence_penalty", -2, 2)
		case "n":
			r.notes.count = r.integer("n", 1)
			r.x.Head.Each = r.notes.count
		case "seed":
			r.seed()
		case "stop":
			r.stop()
		case "user":
			r.x.Head.User = r.name("user")
		default:
			r.completionMore(string(key))
		}
	}
	r.s.End()
	switch {
	case r.s.Err() != nil || r.err != nil:
		return r.err
	case !r.seen.model:
		return missing("model")
	case !prompted:
		return missing("prompt")
	case r.notes.options && !r.x.Head.Stream:
		return bad("stream_options", `"stream_options" is only allowed when "stream" is true`)
	}
	return nil
}

// completionMore reads the fields that have no equal in chat. Those that a chat
// model cannot be asked are refused.
func (r *request) completionMore(key string) {
	asked := false
	switch key {
	case "logprobs":
		r.integer("logprobs", 0)
	case "echo":
		asked = r.boolean("echo")
	case "suffix":
		asked = r.text("suffix") != ""
	case "best_of":
		asked = r.integer("best_of", 1) > 1
	default:
		r.unknown(key, core.RoleSystem, core.KindOther, -1, -1)
	}
	if asked {
		r.fail(unsupported(key, strconv.Quote(key)+" is not supported: prompts are answered by chat models; leave it out"))
	}
}

// prompts reads one text or several.
func (r *request) prompts() {
	switch r.s.Kind() {
	case splice.String:
		r.prompt(-1)
		return
	case splice.Array:
	default:
		r.wrongType("prompt", "a string or an array of strings")
		return
	}
	r.s.Enter()
	for n := int32(0); r.s.Next(); n++ {
		switch k := r.s.Kind(); {
		case k == splice.Number, k == splice.Array:
			r.fail(bad("prompt", `"prompt" must be a string or an array of strings; arrays of tokens are not supported, since their text cannot be checked`))
			r.s.Skip()
		case k != splice.String:
			r.wrongType("prompt", "a string or an array of strings")
		default:
			r.prompt(n)
		}
	}
	switch n := r.x.Head.Messages; {
	case n == 0 && r.err == nil:
		r.fail(bad("prompt", `"prompt" must hold at least one text`))
	case n > maxPrompts:
		r.fail(bad("prompt", `"prompt" holds more than `+strconv.Itoa(maxPrompts)+" texts; send them in several requests"))
	}
}

func (r *request) prompt(n int32) {
	r.x.Head.Messages++
	r.x.Head.Calls++
	r.input("prompt", n)
}

// input makes a segment of a text that stands in the body itself: n is its place
// in an array, or -1.
func (r *request) input(name string, n int32) {
	at, _ := r.s.String()
	if r.s.Err() != nil || at.Len() == 0 {
		return
	}
	r.x.Request.Segments = append(r.x.Request.Segments, core.Segment{
		Role: core.RoleUser, Kind: core.KindText, Depth: 1, Message: -1, Part: n, Field: name, Span: at,
	})
}
