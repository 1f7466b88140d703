package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// CountTokens is the API that counts the tokens of a Messages request without calling
// the model.
type CountTokens struct{}

var _ core.Dialect = CountTokens{}

// CountTokensName is the name of the dialect.
const CountTokensName = "anthropic.count_tokens"

// Name returns CountTokensName.
func (CountTokens) Name() string { return CountTokensName }

// Scan validates a request like that of Messages, which differs only in what concerns
// the answer.
func (CountTokens) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = llm.TaskCount
	r := newRequest(x)
	r.count = true
	return r.ChooseError(r.readBody())
}

// AppendForwardCuts cuts in the target's name of the model.
func (CountTokens) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	return forwardModel(x, t, dst), nil
}

// ScanResponse validates the provider's count, which uses no tokens.
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

// AppendCount appends the body of a count.
func AppendCount(dst []byte, n int64) []byte {
	dst = append(dst, `{"input_tokens":`...)
	return append(strconv.AppendInt(dst, n, 10), '}')
}

// Decode reads the request for a count by the gateway.
func (CountTokens) Decode(x *core.Exchange) (*llm.Request, *core.Error) { return Messages{}.Decode(x) }

// ScanEvent is that of Messages. A count is never streamed.
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

// ReadError returns the code and message of a provider's error body.
func (CountTokens) ReadError(body []byte) (code, message string) { return readError(body) }
