package openai

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Scan validates a chat completion request and finds its texts. It rejects what
// providers could interpret differently: invalid JSON, duplicate keys, wrong types.
func (Chat) Scan(x *core.Exchange) *core.Error {
	r := newRequest(x)
	return r.ChooseError(r.readBody())
}

// request is the state of one scan.
type request struct {
	scan.Request
	notes *notes
	seen  fields
}

func newRequest(x *core.Exchange) request {
	r := request{Request: scan.NewRequest(x, marks), notes: scan.FindNotes[notes](x)}
	r.notes.wantsUsage, r.notes.options, r.notes.optionsEmpty, r.notes.count = false, false, false, 0
	return r
}

type fields struct{ model, messages, maxTokens, maxCompletion bool }

func (r *request) readBody() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	r.MarkFrom(markOpen, r.S.Pos())
	var limit, completion int64
	for r.S.Next() {
		start := r.S.Pos()
		switch key := r.S.Key(); string(key) {
		case "model":
			r.readModel()
		case "messages":
			r.readMessages()
		case "stream":
			r.X.Head.Stream = r.ReadBool("stream")
		case "stream_options":
			r.readStreamOptions()
		case "max_tokens":
			r.seen.maxTokens = true
			limit = r.readLimit("max_tokens", start, markMaxTokens)
		case "max_completion_tokens":
			r.seen.maxCompletion = true
			completion = r.readLimit("max_completion_tokens", start, markMaxCompletionTokens)
		case "reasoning_effort":
			r.X.Head.Effort = r.ReadName("reasoning_effort")
			r.Mark(markEffort, splice.Span{Start: start, End: r.S.Pos()})
		case "parallel_tool_calls":
			r.ReadBool("parallel_tool_calls")
			r.Mark(markParallel, splice.Span{Start: start, End: r.S.Pos()})
		case "tools":
			r.readTools()
		case "tool_choice":
			r.readToolChoice()
		case "response_format":
			r.readResponseFormat()
		default:
			if r.readSampling(key) {
				continue
			}
			if scan.IsHostedMember(string(key)) {
				r.readHostedMember(strings.Clone(zerocopy.String(key)), start)
				continue
			}
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.S.End()
	if r.S.Err() != nil || r.Err != nil {
		return r.Err
	}
	return r.validateRequest(limit, completion)
}

// readHostedMember reads a member that makes the provider search or run something.
func (r *request) readHostedMember(name string, start int) {
	r.S.Kind()
	from := r.S.Pos()
	r.readUnknownMember(name, core.RoleSystem, core.KindOther, -1, -1)
	r.RejectHostedMember(name, start, from)
}

// readSampling reads a member that chat and legacy completions share. It reports
// false for any other. Names that an error may keep are constants: a copy of key would
// be an allocation per member.
func (r *request) readSampling(key []byte) bool {
	switch string(key) {
	case "temperature":
		r.ReadBoundedNumber("temperature", 0, 2)
	case "top_p":
		r.ReadBoundedNumber("top_p", 0, 1)
	case "frequency_penalty":
		r.ReadBoundedNumber("frequency_penalty", -2, 2)
	case "presence_penalty":
		r.ReadBoundedNumber("presence_penalty", -2, 2)
	case "n":
		r.notes.count = r.ReadInteger("n", 1)
		r.X.Head.AnswersPerPrompt = r.notes.count
	case "seed":
		r.readSeed()
	case "stop":
		r.readStop()
	case "user":
		r.X.Head.User = r.ReadUser("user")
	default:
		return false
	}
	return true
}

func (r *request) validateRequest(limit, completion int64) *core.Error {
	switch {
	case !r.seen.model:
		return scan.NewMissing("model")
	case !r.seen.messages:
		return scan.NewMissing("messages")
	case limit != 0 && completion != 0 && limit != completion:
		return scan.NewInvalid("max_tokens", `"max_tokens" and "max_completion_tokens" have different values; send one of them`)
	case r.notes.options && !r.X.Head.Stream:
		return scan.NewInvalid("stream_options", `"stream_options" is only allowed when "stream" is true`)
	}
	r.X.Head.MaxTokens = max(limit, completion)
	return nil
}

func (r *request) readModel() {
	r.seen.model = true
	r.ReadModel(markModel)
}

// readLimit reads a token limit. Null means absent, but its place is marked.
func (r *request) readLimit(name string, start, mark int) int64 {
	from := r.S.Pos()
	var v int64
	switch r.S.Kind() {
	case splice.Null:
		from = r.S.Pos()
		r.S.Null()
	case splice.Number:
		from = r.S.Pos()
		v = r.ReadInteger(name, 1)
	default:
		r.RejectType(name, "an integer")
	}
	r.Mark(mark, splice.Span{Start: from, End: r.S.Pos()})
	r.Mark(mark+1, splice.Span{Start: start, End: r.S.Pos()})
	return v
}

func (r *request) readStreamOptions() {
	switch r.S.Kind() {
	case splice.Null:
		from := r.S.Pos()
		r.S.Null()
		r.Mark(markStreamOptions, splice.Span{Start: from, End: r.S.Pos()})
		return
	case splice.Object:
	default:
		r.RejectType("stream_options", "an object")
		return
	}
	from := r.S.Pos()
	r.notes.options, r.notes.optionsEmpty = true, true
	r.S.Enter()
	for r.S.Next() {
		r.notes.optionsEmpty = false
		if key := r.S.Key(); string(key) != "include_usage" {
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindOther, -1, -1)
			continue
		}
		r.S.Kind()
		at := r.S.Pos()
		r.notes.wantsUsage = r.ReadBool("stream_options.include_usage")
		r.Mark(markIncludeUsage, splice.Span{Start: at, End: r.S.Pos()})
	}
	r.Mark(markStreamOptions, splice.Span{Start: from, End: r.S.Pos()})
}
