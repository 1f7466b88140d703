package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Scan checks an embeddings request and finds its texts.
func (Embeddings) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = core.TaskEmbed
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw, notes: notesOf(x)}
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	e := r.embeddings()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
}

func (r *request) embeddings() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	given := false
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "model":
			r.model()
		case "input":
			given = true
			r.inputs()
		case "dimensions":
			r.integer("dimensions", 1)
		case "encoding_format":
			if f := r.text("encoding_format"); f != "" && f != "float" && f != "base64" {
				r.fail(bad("encoding_format", `"encoding_format" must be "float" or "base64"`))
			}
		case "user":
			r.x.Head.User = r.name("user")
		case "stream":
			if r.boolean("stream") {
				r.fail(bad("stream", "embeddings cannot be streamed"))
			}
		default:
			r.unknown(view(key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.s.End()
	switch {
	case r.s.Err() != nil || r.err != nil:
		return r.err
	case !r.seen.model:
		return missing("model")
	case !given:
		return missing("input")
	}
	return nil
}

// maxInputs is how many texts OpenAI takes at once.
const maxInputs = 2048

// inputs reads one text or several. Tokens are refused: their text could not be
// checked.
func (r *request) inputs() {
	switch r.s.Kind() {
	case splice.String:
		r.x.Head.Messages++
		r.input("input", -1)
		return
	case splice.Array:
	default:
		r.wrongType("input", "a string or an array of strings")
		return
	}
	r.s.Enter()
	n := int32(0)
	for ; r.s.Next(); n++ {
		switch k := r.s.Kind(); {
		case k == splice.Number, k == splice.Array:
			r.fail(bad("input", `"input" must be a string or an array of strings; arrays of tokens are not supported, since their text cannot be checked`))
			r.s.Skip()
		case k != splice.String:
			r.wrongType("input", "a string or an array of strings")
		default:
			r.x.Head.Messages++
			r.input("input", n)
		}
	}
	if n == 0 || n > maxInputs {
		r.fail(bad("input", `"input" must hold between 1 and `+strconv.Itoa(maxInputs)+" texts"))
	}
}
