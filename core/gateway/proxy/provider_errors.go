package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// convertCallError returns the client's error for a call without an answer.
func (a *attempts) convertCallError(ctx context.Context, p route.Provider, err error) *core.Error {
	if ctx.Err() != nil {
		return a.newHangupError(err)
	}
	a.call.x.Outcome.Kind = core.UpstreamErr
	a.result = route.ClassifyResult(nil, err)
	var u *upstream.Error
	if errors.As(err, &u) && u.Timeout {
		limit := u.Phase.String()
		if errors.Is(err, upstream.ErrTotal) {
			limit = "total"
		}
		return &core.Error{
			Kind: core.GatewayTimeout, Code: core.CodeUpstreamTimeout, Err: err,
			Public: p.Label() + " did not answer in time (" + limit + ")",
		}
	}
	var own *core.Error
	if errors.As(err, &own) { // the provider's client explains why it sent no call
		return own
	}
	public := p.Label() + " could not be reached"
	switch {
	case errors.Is(err, upstream.ErrMalformed):
		public = p.Label() + " returned an invalid answer: it breaks the rules of HTTP"
	case u != nil && u.Phase > upstream.PhaseWrite:
		public = p.Label() + brokeOff
	}
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: public}
}

// newHangupError returns the error of a call that ended because the client hung up.
func (a *attempts) newHangupError(err error) *core.Error {
	a.call.x.Outcome.Kind, a.result = core.ClientGone, route.Result{Ours: true}
	return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: err}
}

const brokeOff = " broke off its answer"

// newBrokenOffError returns the error of an answer whose connection was closed properly but too early.
func (a *attempts) newBrokenOffError(p route.Provider) *core.Error {
	a.result = route.Result{Broken: true}
	return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: io.ErrUnexpectedEOF, Public: p.Label() + brokeOff}
}

// newInvalidAnswerError returns the error of an answer that cannot be read, and therefore not governed.
func (a *attempts) newInvalidAnswerError(why string) *core.Error {
	a.call.x.Outcome.Kind, a.result = core.UpstreamErr, route.Result{Broken: true}
	label := a.call.x.Target.Provider
	if p := a.call.snap.Providers[label]; p != nil {
		label = p.Label()
	}
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid,
		Public: label + " returned an invalid answer: " + why,
	}
}

// newEarlyError returns the client's error for an error at the start of a stream, with the HTTP status it stands for. An
// unknown status counts as a server error, whose text is not disclosed.
func (a *attempts) newEarlyError(p route.Provider, f *llm.Failure) *core.Error {
	a.call.x.Outcome.Kind, a.result = core.UpstreamErr, route.Result{Status: f.Status, Broken: true}
	return newProviderError(p, f.Status, f.Code, f.Message)
}

// newStreamError returns the client's error for a stream that could not be read.
func (a *attempts) newStreamError(ctx context.Context, p route.Provider, err error) *core.Error {
	var f failedEarly
	var u *upstream.Error
	var own *core.Error
	switch {
	case errors.As(err, &own): // of a later prompt, or of an answer without an end
		return own
	case errors.As(err, &f):
		return a.newEarlyError(p, f.Failure)
	case a.call.answer.tr != nil && ctx.Err() == nil && !errors.As(err, &u):
		e := a.newInvalidAnswerError("the stream does not match its API")
		e.Err = err
		return e
	}
	return a.convertCallError(ctx, p, err)
}

// maxErrorBody is how many bytes of a provider's error are read.
const maxErrorBody = 64 << 10

// readProviderError returns the client's error for a provider's error.
func (a *attempts) readProviderError(p route.Provider, res *upstream.Response) *core.Error {
	body, _ := readAll(a.call.answer.received, io.LimitReader(res.Body, maxErrorBody)) // a truncated error still has its status
	a.call.answer.received = body
	_ = res.Body.Close()
	code, message := a.readError(body)
	if code == "" {
		code = readCodeHeader(res.Header)
	}
	e := newProviderError(p, res.Status, code, message)
	e.RetryAfter = a.result.RetryAfter
	return e
}

// readCodeHeader returns the error code that AWS sends in a separate header: the name of an exception, which may be
// followed by a link.
func readCodeHeader(fields []upstream.Field) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, "X-Amzn-Errortype") {
			code, _, _ := strings.Cut(f.Value, ":")
			return code[strings.LastIndexByte(code, '#')+1:]
		}
	}
	return ""
}

// newProviderError returns the client's error for a provider's error; status 0 means unknown. Server errors, and errors
// about the gateway's own credentials, do not disclose the provider's reason.
func newProviderError(p route.Provider, status int, code, message string) *core.Error {
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Status: status}
	switch {
	case status < 400 || status > 599 || status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Status = http.StatusBadGateway
	case status < 500:
		e.Kind, e.Code = core.InvalidRequest, normalizeCode(code)
		if status == http.StatusTooManyRequests {
			e.Kind = core.RateLimited
		}
		e.Public = formatReason(p.Label(), status, code, message)
		return e
	}
	if status < 100 || status > 599 { // not a valid status
		status = e.Status
	}
	e.Public = p.Label() + " API error " + strconv.Itoa(status)
	return e
}

// readError reads the code and message of an error body in the provider's dialect.
func (a *attempts) readError(body []byte) (code, message string) {
	if a.call.answer.tr != nil {
		return a.call.answer.tr.wire.ReadError(body)
	}
	return a.call.d.ReadError(body)
}

// normalizeCode returns a provider's error code for the records, or "" if it is a text and not a name.
func normalizeCode(code string) string {
	if code == "" || len(code) > 64 {
		return core.CodeUpstream
	}
	for i := range len(code) {
		if !isTraceByte(code[i]) {
			return core.CodeUpstream
		}
	}
	return code
}

// reasonRunes is the length limit of a provider's reason, in runes.
const reasonRunes = 300

// formatReason returns the line of the specification: <Provider> API error <status>: <code>: <message>.
func formatReason(label string, status int, code, message string) string {
	line := label + " API error " + strconv.Itoa(status)
	if code != "" {
		line += ": " + code
	}
	if message != "" {
		line += ": " + message
	}
	return truncateLine(line, reasonRunes)
}

// truncateLine truncates a text to n runes on one line.
func truncateLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n])
}
