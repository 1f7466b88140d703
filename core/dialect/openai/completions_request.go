package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// maxPrompts limits the prompts, and so the calls, of one request.
const maxPrompts = 128

// Scan validates a legacy completion request and finds its texts. It sets
// x.Head.Messages to the number of prompts.
func (Completions) Scan(x *core.Exchange) *core.Error {
	r := newRequest(x)
	return r.ChooseError(r.readCompletion())
}

func (r *request) readCompletion() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	prompted := false
	for r.S.Next() {
		start := r.S.Pos()
		switch key := r.S.Key(); string(key) {
		case "model":
			r.readModel()
		case "prompt":
			prompted = true
			r.readPrompts()
		case "stream":
			r.X.Head.Stream = r.ReadBool("stream")
		case "stream_options":
			r.readStreamOptions()
		case maxTokens:
			r.X.Head.MaxTokens = r.readLimit(maxTokens, start, markMaxTokens)
		default:
			if !r.readSampling(key) {
				r.readCompletionOption(string(key))
			}
		}
	}
	r.S.End()
	switch {
	case r.S.Err() != nil || r.Err != nil:
		return r.Err
	case !r.seen.model:
		return scan.NewMissing("model")
	case !prompted:
		return scan.NewMissing("prompt")
	case r.notes.options && !r.X.Head.Stream:
		return scan.NewInvalid("stream_options", `"stream_options" is only allowed when "stream" is true`)
	}
	return nil
}

// readCompletionOption reads the fields that chat does not have. It rejects those that a
// chat model cannot serve.
func (r *request) readCompletionOption(key string) {
	asked := false
	switch key {
	case "logprobs":
		r.ReadInteger("logprobs", 0)
	case "echo":
		asked = r.ReadBool("echo")
	case "suffix":
		asked = r.ReadText("suffix") != ""
	case "best_of":
		asked = r.ReadInteger("best_of", 1) > 1
	default:
		r.readUnknownMember(key, core.RoleSystem, core.KindOther, -1, -1)
	}
	if asked {
		r.Fail(scan.NewUnsupportedError(key, strconv.Quote(key)+" is not supported: prompts are answered by chat models; leave it out"))
	}
}

// readPrompts reads one text or several.
func (r *request) readPrompts() {
	switch r.S.Kind() {
	case splice.String:
		r.readPrompt(-1)
		return
	case splice.Array:
	default:
		r.RejectType("prompt", "a string or an array of strings")
		return
	}
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		switch k := r.S.Kind(); {
		case k == splice.Number, k == splice.Array:
			r.Fail(scan.NewInvalid("prompt",
				`"prompt" must be a string or an array of strings; arrays of tokens are not supported, since their text cannot be checked`))
			r.S.Skip()
		case k != splice.String:
			r.RejectType("prompt", "a string or an array of strings")
		default:
			r.readPrompt(n)
		}
	}
	switch n := r.X.Head.Messages; {
	case n == 0 && r.Err == nil:
		r.Fail(scan.NewInvalid("prompt", `"prompt" must hold at least one text`))
	case n > maxPrompts:
		r.Fail(scan.NewInvalid("prompt", `"prompt" contains more than `+strconv.Itoa(maxPrompts)+" texts; send them in several requests"))
	}
}

func (r *request) readPrompt(n int32) {
	r.X.Head.Messages++
	r.X.Head.Prompts++
	r.addInput("prompt", n)
}

// addInput adds a segment for a text at the top level. n is its index in an array, or
// -1.
func (r *request) addInput(name string, n int32) {
	at, _ := r.S.String()
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
		Role: core.RoleUser, Kind: core.KindText, Depth: 1, Message: -1, Part: n, Field: name, Span: at,
	})
}
