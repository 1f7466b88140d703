package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Scan validates an embeddings request and finds its texts.
func (Embeddings) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = llm.TaskEmbed
	r := newRequest(x)
	return r.ChooseError(r.readEmbeddings())
}

func (r *request) readEmbeddings() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	given := false
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "model":
			r.readModel()
		case "input":
			given = true
			r.readInputs()
		case "dimensions":
			r.ReadInteger("dimensions", 1)
		case "encoding_format":
			if f := r.ReadText("encoding_format"); f != "" && f != "float" && f != "base64" {
				r.Fail(scan.NewInvalid("encoding_format", `"encoding_format" must be "float" or "base64"`))
			}
		case "user":
			r.X.Head.User = r.ReadUser("user")
		case "stream":
			if r.ReadBool("stream") {
				r.Fail(scan.NewInvalid("stream", "embeddings cannot be streamed"))
			}
		default:
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.S.End()
	switch {
	case r.S.Err() != nil || r.Err != nil:
		return r.Err
	case !r.seen.model:
		return scan.NewMissing("model")
	case !given:
		return scan.NewMissing("input")
	}
	return nil
}

// maxInputs is OpenAI's limit of texts in one request.
const maxInputs = 2048

// readInputs reads one text or several. It rejects token arrays, because their text
// cannot be checked.
func (r *request) readInputs() {
	switch r.S.Kind() {
	case splice.String:
		r.X.Head.Messages++
		r.addInput("input", -1)
		return
	case splice.Array:
	default:
		r.RejectType("input", "a string or an array of strings")
		return
	}
	r.S.Enter()
	n := int32(0)
	for ; r.S.Next(); n++ {
		switch k := r.S.Kind(); {
		case k == splice.Number, k == splice.Array:
			r.Fail(scan.NewInvalid("input",
				`"input" must be a string or an array of strings; arrays of tokens are not supported, since their text cannot be checked`))
			r.S.Skip()
		case k != splice.String:
			r.RejectType("input", "a string or an array of strings")
		default:
			r.X.Head.Messages++
			r.addInput("input", n)
		}
	}
	if n == 0 || n > maxInputs {
		r.Fail(scan.NewInvalid("input", `"input" must hold between 1 and `+strconv.Itoa(maxInputs)+" texts"))
	}
}
