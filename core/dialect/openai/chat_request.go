package openai

import (
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Scan checks a chat completion request and finds its texts. It refuses what no
// provider could read one way only: broken JSON, duplicate keys, wrong types.
func (Chat) Scan(x *core.Exchange) *core.Error {
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw, notes: notesOf(x)}
	r.notes.wantsUsage, r.notes.options, r.notes.optionsEmpty, r.notes.count = false, false, false, 0
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	e := r.body()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
}

// syntax makes the client's error of a scanner's.
func syntax(err error) *core.Error {
	e := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err}
	var se *splice.SyntaxError
	if errors.As(err, &se) {
		if se.Reason == splice.ReasonDuplicateKey {
			e.Code = core.CodeDuplicateKey
			e.Public = "an object in the body names a key twice, at byte " + strconv.Itoa(se.Offset) + "; send each key once"
			return e
		}
		e.Public = "the body is not valid JSON: " + string(se.Reason) + " at byte " + strconv.Itoa(se.Offset)
		return e
	}
	e.Public = "the body is not valid JSON"
	return e
}

// request is the state of one scan.
type request struct {
	x     *core.Exchange
	s     *splice.Scanner
	doc   []byte
	notes *notes
	seen  fields
	err   *core.Error
}

type fields struct{ model, messages, maxTokens, maxCompletion bool }

func (r *request) mark(i int, at splice.Span) { r.x.Request.Marks[i] = at }

func (r *request) fail(e *core.Error) {
	if r.err == nil {
		r.err = e
	}
}

// wrongType notes the error and skips the value, so that the rest is checked.
func (r *request) wrongType(param, want string) {
	r.fail(bad(param, "invalid type for "+strconv.Quote(param)+": expected "+want))
	r.s.Skip()
}

func (r *request) body() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	r.s.Enter()
	r.mark(markOpen, splice.Span{Start: r.s.Pos(), End: r.s.Pos()})
	var limit, completion int64
	for r.s.Next() {
		start := r.s.Pos()
		switch key := r.s.Key(); string(key) {
		case "model":
			r.model()
		case "messages":
			r.messages()
		case "stream":
			r.x.Head.Stream = r.boolean("stream")
		case "stream_options":
			r.streamOptions()
		case "max_tokens":
			r.seen.maxTokens = true
			limit = r.limit("max_tokens", start, markMaxTokens)
		case "max_completion_tokens":
			r.seen.maxCompletion = true
			completion = r.limit("max_completion_tokens", start, markMaxCompletionTokens)
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
		case "user":
			r.x.Head.User = r.name("user")
		case "reasoning_effort":
			r.x.Head.Effort = r.name("reasoning_effort")
			r.mark(markEffort, splice.Span{Start: start, End: r.s.Pos()})
		case "parallel_tool_calls":
			r.boolean("parallel_tool_calls")
			r.mark(markParallel, splice.Span{Start: start, End: r.s.Pos()})
		case "tools":
			r.tools()
		case "tool_choice":
			r.toolChoice()
		case "stop":
			r.stop()
		case "response_format":
			r.responseFormat()
		default:
			r.unknown(view(key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.s.End()
	if r.s.Err() != nil || r.err != nil {
		return r.err
	}
	return r.finish(limit, completion)
}

func (r *request) finish(limit, completion int64) *core.Error {
	switch {
	case !r.seen.model:
		return missing("model")
	case !r.seen.messages:
		return missing("messages")
	case limit != 0 && completion != 0 && limit != completion:
		return bad("max_tokens", `"max_tokens" and "max_completion_tokens" have different values; send one of them`)
	case r.notes.options && !r.x.Head.Stream:
		return bad("stream_options", `"stream_options" is only allowed when "stream" is true`)
	}
	r.x.Head.MaxTokens = max(limit, completion)
	return nil
}

func (r *request) model() {
	r.seen.model = true
	if r.s.Kind() != splice.String {
		r.wrongType("model", "a string")
		return
	}
	at, escaped := r.s.String()
	if r.s.Err() != nil {
		return
	}
	if at.Len() == 0 {
		r.fail(bad("model", `"model" must not be empty`))
	}
	if at.Len() > maxName {
		r.fail(bad("model", `"model" is too long for a name`))
		return
	}
	r.mark(markModel, at)
	raw := r.doc[at.Start:at.End]
	if escaped {
		raw = splice.AppendText(nil, raw)
	}
	r.x.Head.Model = view(raw)
}

// limit reads a token limit; null counts as absent, but keeps its place.
func (r *request) limit(name string, start, mark int) int64 {
	from := r.s.Pos()
	var v int64
	switch r.s.Kind() {
	case splice.Null:
		from = r.s.Pos()
		r.s.Null()
	case splice.Number:
		from = r.s.Pos()
		v = r.integer(name, 1)
	default:
		r.wrongType(name, "an integer")
	}
	r.mark(mark, splice.Span{Start: from, End: r.s.Pos()})
	r.mark(mark+1, splice.Span{Start: start, End: r.s.Pos()})
	return v
}

func (r *request) streamOptions() {
	switch r.s.Kind() {
	case splice.Null:
		from := r.s.Pos()
		r.s.Null()
		r.mark(markStreamOptions, splice.Span{Start: from, End: r.s.Pos()})
		return
	case splice.Object:
	default:
		r.wrongType("stream_options", "an object")
		return
	}
	from := r.s.Pos()
	r.notes.options, r.notes.optionsEmpty = true, true
	r.s.Enter()
	for r.s.Next() {
		r.notes.optionsEmpty = false
		if string(r.s.Key()) != "include_usage" {
			r.s.Skip()
			continue
		}
		r.s.Kind()
		at := r.s.Pos()
		r.notes.wantsUsage = r.boolean("stream_options.include_usage")
		r.mark(markIncludeUsage, splice.Span{Start: at, End: r.s.Pos()})
	}
	r.mark(markStreamOptions, splice.Span{Start: from, End: r.s.Pos()})
}
