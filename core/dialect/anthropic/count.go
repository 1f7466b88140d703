package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// CountTokens is the shape that counts the tokens of a Messages request without
// a call of the model.
type CountTokens struct{}

var _ core.Dialect = CountTokens{}

// CountTokensName is the name of the shape.
const CountTokensName = "anthropic.count_tokens"

// Name gives CountTokensName.
func (CountTokens) Name() string { return CountTokensName }

// Scan checks a request as that of Messages, which it is but for what concerns
// the answer.
func (CountTokens) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = core.TaskCount
	r := newRequest(x)
	r.count = true
	return r.End(r.readBody())
}

// Forward cuts in the target's name of the model.
func (CountTokens) Forward(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	return forwardModel(x, t, dst), nil
}

// ScanResponse checks the provider's own count. Nothing was used up by it.
func (CountTokens) ScanResponse(x *core.Exchange) error {
	r := response{Response: scan.NewResponse(x), part: -1}
	if err := r.openDocument(); err != nil {
		return err
	}
	for r.S.Next() {
		r.readUnknown(r.S.Key())
	}
	r.S.End()
	return r.S.Err()
}

// AppendCount appends the body that tells a count.
func AppendCount(dst []byte, n int64) []byte {
	dst = append(dst, `{"input_tokens":`...)
	return append(strconv.AppendInt(dst, n, 10), '}')
}

// Decode reads the request into the neutral model, for a count of our own.
func (CountTokens) Decode(x *core.Exchange) (*llm.Request, *core.Error) { return Messages{}.Decode(x) }

// ScanEvent reads no event: a count is never streamed.
func (CountTokens) ScanEvent(x *core.Exchange, ev *core.Event) error {
	return Messages{}.ScanEvent(x, ev)
}

// AppendDelta is that of Messages.
func (CountTokens) AppendDelta(dst, like []byte, p core.Part, text string) []byte {
	return Messages{}.AppendDelta(dst, like, p, text)
}

// AppendEnd is that of Messages.
func (CountTokens) AppendEnd(dst, like, last []byte, e *core.Error) []byte {
	return Messages{}.AppendEnd(dst, like, last, e)
}

// AppendError appends the body of an error answer.
func (CountTokens) AppendError(dst []byte, e *core.Error) []byte {
	return Messages{}.AppendError(dst, e)
}

// ReadError finds code and message in a provider's error body.
func (CountTokens) ReadError(body []byte) (code, message string) { return readError(body) }
