package providers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Limits of what is read of an answer.
const (
	maxBatchAnswer = 4 << 20
	maxBatchReason = 300 // runes
)

// call makes a call. It returns an error for any status that is not a success.
func (b *batchOpenAI) call(ctx context.Context, r *upstream.Request, path ...string) (*upstream.Response, *core.Error) {
	r.URL, r.Timeouts = b.Base.JoinPath(path...), b.Timeouts
	res, err := b.Client.Do(ctx, r)
	if err != nil {
		return nil, b.convertError(ctx, err)
	}
	if res.Status >= http.StatusOK && res.Status < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, b.convertRefusal(res)
}

// callJSON makes a call without a file and decodes its answer into v, unless v is nil.
func (b *batchOpenAI) callJSON(ctx context.Context, method string, body []byte, v any, path ...string) *core.Error {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	h := b.Header
	if body != nil {
		h = append(slices.Clip(h), upstream.Field{Name: "Content-Type", Value: "application/json"})
	}
	res, e := b.call(ctx, &upstream.Request{Method: method, Header: h, Body: body}, path...)
	if e != nil {
		return e
	}
	return b.read(ctx, res, v)
}

func (b *batchOpenAI) read(ctx context.Context, res *upstream.Response, v any) *core.Error {
	defer func() { _ = res.Body.Close() }() // the relevant part was read
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxBatchAnswer+1))
	if err != nil {
		return b.convertError(ctx, err)
	}
	if v == nil {
		return nil
	}
	if len(answer) > maxBatchAnswer {
		return b.newInvalidAnswerError(nil)
	}
	if err = json.Unmarshal(answer, v); err != nil {
		return b.newInvalidAnswerError(err)
	}
	return nil
}

// newInvalidAnswerError returns the error of an invalid answer.
func (b *batchOpenAI) newInvalidAnswerError(err error) *core.Error {
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Err: err, Public: b.Label + " gave an answer that cannot be used",
	}
}

// convertError returns the error of a call without an answer.
func (b *batchOpenAI) convertError(ctx context.Context, err error) *core.Error {
	var u *upstream.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: err}
	case errors.As(err, &u) && u.Timeout:
		return &core.Error{
			Kind: core.GatewayTimeout, Code: core.CodeUpstreamTimeout, Err: err, Public: b.Label + " did not answer in time",
		}
	}
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: b.Label + " could not be reached, or broke off its answer",
	}
}

// convertRefusal converts the provider's error for the client. It hides the reason of errors that concern the gateway's
// credentials, and of provider failures.
func (b *batchOpenAI) convertRefusal(res *upstream.Response) *core.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // a truncated error still has its status
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: b.Label + " API error " + strconv.Itoa(res.Status)}
	switch s := res.Status; {
	case s == http.StatusNotFound:
		return &core.Error{
			Kind: core.NotFound, Code: core.CodeNotFound, Public: e.Public + ": the provider does not have it",
		}
	case s == http.StatusUnauthorized || s == http.StatusForbidden || s < 400:
		return e
	case s >= 500:
		e.Status = s
		return e
	}
	e.Kind, e.Status = core.InvalidRequest, res.Status
	if res.Status == http.StatusTooManyRequests {
		e.Kind = core.RateLimited
		if n, err := strconv.Atoi(res.Get("Retry-After")); err == nil && n >= 0 && n < 1<<20 {
			e.RetryAfter = time.Duration(n) * time.Second
		}
	}
	code, message := openai.Chat{}.ReadError(body)
	for _, part := range []string{code, message} {
		if part != "" {
			e.Public += ": " + part
		}
	}
	e.Public = truncateLine(e.Public)
	if isBatchID(code) {
		e.Code = code
	}
	return e
}

// truncateLine turns a text into one line of at most maxBatchReason runes.
func truncateLine(s string) string {
	r := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
	return string(r[:min(len(r), maxBatchReason)])
}
