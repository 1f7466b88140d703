package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// CountTokens is the countTokens API. It counts contents, or a whole request in
// generateContentRequest.
type CountTokens struct{}

var _ core.Dialect = CountTokens{}

// CountTokensName is the name of the dialect.
const CountTokensName = "gemini.count_tokens"

// Name returns CountTokensName.
func (CountTokens) Name() string { return CountTokensName }

// Scan validates a request for a count and finds its texts, like that of Generate.
func (CountTokens) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = llm.TaskCount
	r := newRequest(x)
	return r.scanBody(r.readCountBody)
}

func (r *request) readCountBody() {
	contents, whole := false, false
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch {
		case f != fGenerateContentRequest:
			contents = contents || f == fContents
			r.readMember(f, o.key)
		case r.S.Kind() == splice.Object:
			whole = true
			r.at = "generateContentRequest."
			r.readBody()
		default:
			r.openObject("generateContentRequest")
		}
	}
	r.rejectRepeated(&o)
	switch {
	case !contents && !whole:
		r.Fail(newMissingError("contents"))
	case contents && whole:
		r.Fail(scan.NewInvalid("generateContentRequest", `"contents" and "generateContentRequest" exclude each other; send one of them`))
	}
}

// AppendForwardCuts updates a model that the body repeats from the path.
func (CountTokens) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	return forwardModel(&x.Request, t, dst), nil
}

// ScanResponse validates a count, which has no texts and uses no tokens.
func (CountTokens) ScanResponse(x *core.Exchange) error {
	s := &x.Scanner
	if err := scan.OpenObject(s, x.Response.Raw, errNoObject); err != nil {
		return err
	}
	for s.Next() {
		s.Key()
		s.Skip()
	}
	s.End()
	return s.Err()
}

// ScanEvent does nothing: a count is not streamed.
func (CountTokens) ScanEvent(*core.Exchange, *core.Event) error { return nil }

// AppendDelta appends nothing: a count is not streamed.
func (CountTokens) AppendDelta(dst, _ []byte, _ core.Part, _ string) []byte { return dst }

// AppendEnd appends the error as the body: a count is not streamed.
func (d CountTokens) AppendEnd(dst, _, _ []byte, e *core.Error) []byte { return d.AppendError(dst, e) }

// AppendError appends an error body in Google's shape.
func (CountTokens) AppendError(dst []byte, e *core.Error) []byte {
	return Generate{}.AppendError(dst, e)
}

// ReadError returns the status name and message of a provider's error body.
func (CountTokens) ReadError(body []byte) (code, message string) { return Generate{}.ReadError(body) }

// Decode reads the request for a count by the gateway.
func (CountTokens) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	d := newDecoder(x)
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fGenerateContentRequest {
			d.readBody()
		} else {
			d.readMember(f, o.key)
		}
	}
	return d.finishRequest()
}

// AppendCount appends the answer to a count.
func AppendCount(dst []byte, n int64) []byte {
	return append(strconv.AppendInt(append(dst, `{"totalTokens":`...), n, 10), '}')
}
