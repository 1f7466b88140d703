package bridge

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// relayQuestion passes the server's question to the client as a request for input, after which the call waits.
func (a *legacyCall) relayQuestion(data []byte) ([]byte, error) {
	method, id := readText(findMember(data, "method")), findMember(data, "id")
	switch {
	case method == mcp.MethodPing:
		return nil, a.reply(formatResponse(string(id), "result", []byte(`{}`)))
	case method != "elicitation/create" && method != "sampling/createMessage" && method != "roots/list", !a.client.supports(method):
		return nil, a.reply(formatFailure(id, -32601, "the client does not support this"))
	}
	a.asked, a.key = string(id), "ask"
	asked := appendMember([]byte{'{'}, "method", splice.AppendString(nil, method))
	if params := findMember(data, "params"); params != nil {
		asked = appendMember(asked, "params", params)
	}
	a.input = append(appendMember([]byte{'{'}, a.key, append(asked, '}')), '}')
	return a.pauseCall()
}

// statePrefix distinguishes the sealed state of a waiting call from a session, which is sealed with the same key.
const statePrefix = "waiting "

// pauseCall remembers the call, and returns the response that asks the client for input. The call then belongs to the
// exchange that takes it from the memory; the current exchange must not touch it.
func (a *legacyCall) pauseCall() ([]byte, error) {
	if !a.keep() { // the client has hung up, or is doing so
		return nil, context.Canceled
	}
	server, caller, id, input := a.b.server, a.caller, string(a.id), a.input
	a.reserve = nil
	name, ok := a.b.memory.put(formatOwner(caller), a, a.abandon)
	if !ok {
		return nil, newTooManyWaitingError()
	}
	state := server.SealSession(caller, statePrefix+name)
	result := appendMember([]byte{'{'}, "resultType", []byte(`"input_required"`))
	result = appendMember(result, "inputRequests", input)
	result = append(appendMember(result, "requestState", splice.AppendString(nil, state)), '}')
	return formatResponse(id, "result", result), nil
}

// resume continues a call that waits for the client's answer.
func (b *ToLegacy) resume(ctx context.Context, m *tools.Message, params []byte, state string) (tools.Answer, error) {
	plain, ok := b.server.UnsealSession(m.Principal, state)
	id, isState := strings.CutPrefix(plain, statePrefix)
	if !ok || !isState {
		return nil, newUnknownStateError()
	}
	a, ok := b.memory.pop(formatOwner(m.Principal), id).(*legacyCall)
	if !ok || a == nil {
		return nil, newUnknownStateError()
	}
	a.id, a.keep = bytes.Clone(m.Call.ID), context.AfterFunc(ctx, a.end) // a hang-up ends the call again
	if a.b != b || a.method != m.Call.Method || a.target != m.Call.Target {
		a.abandon()
		return nil, newUnknownStateError()
	}
	given := findMember(params, "inputResponses", a.key)
	if given == nil { // ask again
		out, err := a.pauseCall()
		if err != nil {
			a.abandon()
			return nil, err
		}
		return newAnswer(out), nil
	}
	a.reserve = m.Reserve
	if err := a.reply(formatResponse(a.asked, "result", given)); err != nil {
		a.abandon()
		return nil, err
	}
	return &turn{legacyCall: a}, nil
}

// newUnknownStateError returns the error of a state that belongs to no waiting call of the key.
func newUnknownStateError() *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "params.requestState",
		Public: "no call of this key waits with this state on this node; it was answered already, or has waited too long; call again without it",
	}
}

// cancelTime limits telling a server that a call has been given up.
const cancelTime = 5 * time.Second

// abandon cancels a call whose client has gone, and tells the server.
func (a *legacyCall) abandon() {
	a.keep()
	_ = a.inner.Close()
	a.end()
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), cancelTime)
		defer cancel()
		params := append(appendMember([]byte{'{'}, "requestId", a.call.ID), '}')
		_ = sendNotification(ctx, a.b.server.Upstream, a.session, formatRequest("", mcp.NoticeCancelled, params))
	}()
}

// turn is one exchange's part of a call: until the response, or until the call waits for the client's answer.
type turn struct {
	*legacyCall

	waits bool // the call belongs to another exchange, or to none
}

// Next returns the next message for the client.
func (t *turn) Next(ctx context.Context, isResponse func([]byte) (bool, error)) (data []byte, err error) {
	if t.waits {
		return nil, io.EOF
	}
	if data, t.waits, err = t.readNext(ctx); err != nil {
		return nil, err
	}
	_, err = isResponse(data)
	return data, err
}

// Close ends the call, unless it waits for the client's answer.
func (t *turn) Close() error {
	switch {
	case t.waits:
		return nil
	case !t.done:
		t.abandon()
		return nil
	}
	t.keep()
	err := t.inner.Close()
	t.end()
	return err
}

// reply sends the server the response to its request.
func (a *legacyCall) reply(body []byte) error {
	return sendNotification(a.ctx, a.b.server.Upstream, a.session, body)
}
